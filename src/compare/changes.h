/* What a change of the code means: cycles then and now for the same work, and why. */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H
#include "compare/compare.h"

/* Why a loop takes another time; each with a figure of both builds. */
enum change_reason {
    reason_VECTOR_BITS, /* of the widest vectors that it computes or moves data with; 0: scalars */
    reason_UNROLL,      /* iterations of the source in one of the loop */
    reason_PATHS,       /* ways through an iteration, one for each combination of its branches */
    reason_SPILLS,      /* accesses to its own stack frame, per iteration of the source */
    reason_CALLS,
    reason_DIVISIONS,
    reason_CONVERSIONS,
    reason_MULTIPLY_ADDS,
    reason_GATHERS,
    reason_LOADS,
    reason_STORES,
    reason_INSTRUCTIONS,
    reason_LIMIT, /* figures are of enum core_part */
    reason_COUNT
};

struct change_figure {
    bool is_told; /* it differs by enough to be named */
    double figures[compare_BUILDS];
};

/* What the cycles of a loop are counted for. */
enum change_unit {
    unit_NONE,      /* at least one build has no cycles */
    unit_SOURCE,    /* an iteration of the source loop, known in both builds */
    unit_OLD,       /* the work of one iteration of the old loop; the new one does some of these */
    unit_ITERATION, /* an iteration, as if both did the same: nothing shows what they do */
};

struct loop_change {
    struct compare_match match;
    enum change_unit unit;
    double cycles[compare_BUILDS];                           /* for the unit; NaN where the build has none */
    double slowest[compare_BUILDS], fastest[compare_BUILDS]; /* paths; the same for one path */
    bool depends;  /* one path got slower and another did not, and nothing shows how often each is taken */
    double ratio;  /* time now : time then; NaN: unknown */
    double share;  /* of the program's time before, by samples or estimated; NaN: unknown */
    double effect; /* on the program's time: share * (ratio - 1); 0 where unknown */
    struct change_figure reasons[reason_COUNT];
    struct array gone, appeared; /* of uint32_t: rules, by id in the old and in the new model */
};

/* Of loops that are not the same, of struct loop_change, the largest effect first.  The models have metrics
   and advice (quality_build) of the loops of changed functions.  shares: of the time, by old loop; NULL:
   those of the old model, of samples or estimated. */
struct array changes_of_loops(const struct comparison *comparison, const double *shares);
/* What a recorded run says of the loops of another model of the program: shares by loop, to be freed.  The
   old side of the comparison is the run, the new side the other model.  Functions with the same code have the
   same loops in the same order. */
double *changes_shares_of_run(const struct comparison *comparison);
void changes_free(struct array *changes);
#endif
