/* Probabilities of numbers of events: what uniformisation weighs its steps with. */
#ifndef PLAN_MODELLING_PEPA_POISSON_H
#define PLAN_MODELLING_PEPA_POISSON_H
#include "base/memory.h"

struct poisson {
    uint64_t first, count;
    double *weights; /* of first, first + 1, …; they sum to 1 */
    double lost;     /* at most so much probability lies outside */
};
void poisson_make(struct poisson *poisson, double mean);
void poisson_free(struct poisson *poisson);
#endif
