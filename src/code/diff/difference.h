/* Two builds, from their models to the changes of loops, step by step.

   Loops of functions that differ are matched (difference_match) and get cycles (difference_time).  The whole
   analysis, which says why, takes far longer, so it is made of those alone that somebody wants to see
   (difference_explain).  What is already known does not change by it. */
#ifndef CODE_DIFF_DIFFERENCE_H
#define CODE_DIFF_DIFFERENCE_H
#include "code/diff/changes.h"

struct difference {
    struct model *models[diff_BUILDS];
    struct loop_machines machines[diff_BUILDS]; /* needed from difference_time on */
    unsigned threads;                           /* 0: one for each processor */
    unsigned path_limit;                        /* of a loop */
    struct diff_sources sources[diff_BUILDS];
    bool takes_same; /* machines differ: so does each loop */
    struct comparison comparison;
    struct array changes; /* of struct loop_change, the largest effect first */
};

/* Tables of a database that a model needs for this, up to NULL. */
extern const char *const difference_tables[];

/* Functions, then loops. */
void difference_match(struct difference *difference);
/* shares: of the old build's time, by loop; NULL: of its samples, or estimated.  takes_single: loops without
   a counterpart get cycles, too. */
void difference_time(struct difference *difference, const double *shares, bool takes_single);
/* chosen: 1 by change. */
void difference_explain(struct difference *difference, const uint8_t *chosen);
void difference_end(struct difference *difference);
#endif
