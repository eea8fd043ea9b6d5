/* What a change of the code means: cycles then and now for the same work, and why. */
#ifndef CODE_DIFF_CHANGES_H
#define CODE_DIFF_CHANGES_H
#include "code/diff/diff.h"
#include "code/cost/loops.h"

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
    double figures[diff_BUILDS];
};

/* What the cycles of a loop are counted for. */
enum change_unit {
    unit_NONE,      /* at least one build has no cycles */
    unit_SOURCE,    /* an iteration of the source loop, known in both builds */
    unit_OLD,       /* the work of one iteration of the old loop; the new one does some of these */
    unit_ITERATION, /* an iteration, as if both did the same: nothing shows what they do */
};

/* Cycles are there at once, for all loops.  Reasons and advice need the whole analysis of both loops, and are
   filled by changes_explain for those that somebody wants to see. */
struct loop_change {
    struct diff_match match;
    enum change_unit unit;
    double work;                /* iterations of the old loop that one of the new loop is worth; 0: unknown */
    double cycles[diff_BUILDS]; /* for the unit; NaN where the build has none */
    double slowest[diff_BUILDS], fastest[diff_BUILDS]; /* paths; the same for one path */
    bool depends;  /* one path got slower and another did not: it depends on how often each is taken */
    double ratio;  /* time now : time then; NaN: unknown */
    double share;  /* of the program's time before, by samples or estimated; NaN: unknown */
    double effect; /* on the program's time: share * (ratio - 1); 0 where unknown */
    bool is_explained;
    struct change_figure reasons[reason_COUNT];
    struct array gone, appeared; /* of uint32_t: rules, by id in the old and in the new model */
};

/* Fills loop_cycles of these loops (of uint32_t, in order) in place of other rows: cycles and limits of at
   most path_limit paths each. */
void changes_time(struct model *model, const struct loop_machines *machines, const struct array *loops,
                  unsigned path_limit, unsigned threads);
/* Of loops that are not the same, of struct loop_change, the largest effect first.  The models have cycles of
   matched loops (changes_time), and the families of all.  shares: of the time, by old loop; NULL: those of
   the samples in the old model. */
struct array changes_of_loops(const struct comparison *comparison, const double *shares);
/* Fills reasons and advice of a change, and the cycles of a loop that one build alone has.  The models have
   metrics and advice of its loops (quality_build). */
void changes_explain(struct loop_change *change, const struct comparison *comparison);
/* What a recorded run says of the loops of another model of the program: shares by loop, to be freed.  The
   old side of the comparison is the run, the new side the other model.  Functions with the same code have the
   same loops in the same order. */
double *changes_shares_of_run(const struct comparison *comparison);
void changes_free(struct array *changes);

/* totals.c: what the loops of a function, or of the program, come to. */
struct change_total {
    double share;          /* of the program's time before, in loops whose times can be compared */
    double effect;         /* on the program's time */
    size_t slower, faster; /* loops, by the threshold */
    uint64_t instructions[diff_BUILDS], bytes[diff_BUILDS];
};
struct function_change {
    const struct diff_match *match;
    struct change_total total;
};
/* Functions that differ or that one build alone has, the largest effect first, then by size: of struct
   function_change.  A loop counts for the function of the old build.  threshold: relative, for slower and
   faster. */
struct array changes_of_functions(const struct comparison *comparison, const struct array *changes,
                                  double threshold);
/* Of the whole program, functions that are the same included. */
struct change_total changes_total(const struct comparison *comparison, const struct array *changes,
                                  double threshold);
#endif
