/* Strong equivalence: states that nobody can tell apart by what they do and how fast.  Two states are equivalent if they do each
   action at the same rate into each class of equivalent states (Hillston's strong equivalence; the chain of the classes is
   what is called an ordinary lumping). */
#ifndef PLAN_MODELLING_PEPA_EQUIVALENCE_H
#define PLAN_MODELLING_PEPA_EQUIVALENCE_H
#include "plan/modelling/pepa/pepa.h"

struct pepa_transitions { /* as in struct pepa_space; negative rates are weights of passive ones */
    uint32_t count;
    const uint64_t *rows;
    const uint32_t *targets;
    const double *rates;
    const pepa_label *labels;
};
struct pepa_partition {
    uint32_t count;
    uint32_t *of; /* of each state: its class, numbered in the order of first states */
};
/* The coarsest one.  colours: of each state; those of different colours stay apart; NULL: none.  To be freed in any case. */
bool pepa_partition_find(const struct pepa_transitions *all, const uint32_t *colours,
                         struct pepa_partition *partition, struct error *error);
void pepa_partition_free(struct pepa_partition *partition);
#endif
