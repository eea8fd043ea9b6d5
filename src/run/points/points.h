/* Single instructions that take much of the time of a sampled run.

   Samples are given to the instructions that they waited for (blame.h) and added up.  Speaks of one where it
   has a large part of its loop or function, a noticeable share of the run, and enough samples.  Divisions,
   roots, locks, fences and gathers are slow by nature.  Loads, stores, jumps and calls are quick as a rule, so
   these need evidence that this one was not (waits.h); branches need recorded outcomes (--explain). */
#ifndef RUN_POINTS_POINTS_H
#define RUN_POINTS_POINTS_H
#include "code/machine/machine.h"

/* After sample_rows_add, quality_build and, maybe, measuring: replaces the rows of run_points.  Machines by
   instruction set; NULL: unknown. */
void points_find(struct model *model, struct machine *const *machines);

/* What a kind says, for reports: whole sentences, without places or figures. */
struct point_text {
    const char *name;    /* after "at": "a load" */
    const char *finding; /* why it takes time */
    const char
        *open; /* what is not known where it is only possible, without a full stop; NULL: it never is */
    const char *remedy; /* the usual cure */
};
const struct point_text *points_text(enum point_kind kind);
#endif
