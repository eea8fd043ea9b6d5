/* Differential equations x' = f(x) whose rates may be very different. */
#ifndef PLAN_MODELLING_PEPA_STIFF_H
#define PLAN_MODELLING_PEPA_STIFF_H
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef void stiff_function(void *context, const double *x, double *slope);

struct stiff {
    stiff_function *function;
    void *context;
    size_t count;
    double relative, absolute; /* tolerances of one step */
    double step;               /* the next one; 0: to be found */
    uint64_t steps, rejected;
    double *work; /* room; NULL before the first call */
};
enum { STIFF_LARGEST = 600 };

/* Takes x from one moment to another.  false: a step got too small. */
bool stiff_run(struct stiff *stiff, double *x, double from, double to, struct error *error);
void stiff_free(struct stiff *stiff);
#endif
