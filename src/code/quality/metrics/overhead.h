/* Instructions of a path that only compute addresses.

   Most loops need a few: a counter, an index loaded from an array of indices. These are not counted here.
   Counted are pointers that are loaded in every iteration though they do not change, indices that are
   multiplied by a distance, and other sums, shifts and copies that only addresses depend on. */
#ifndef CODE_QUALITY_METRICS_OVERHEAD_H
#define CODE_QUALITY_METRICS_OVERHEAD_H
#include "code/quality/values.h"

enum overhead_kind {
    overhead_NONE,
    overhead_POINTER, /* loads an address from a fixed place, for accesses that move */
    overhead_STRIDE,  /* multiplies by an invariant, or loads it for that; adds an invariant from memory */
    overhead_OTHER,   /* other arithmetic for addresses, beyond moving on by a constant */
    overhead_KINDS
};

struct overhead {
    const struct subject *subject;
    unsigned pointers; /* that items of kind POINTER load: some load two */
    struct values values;
    uint8_t *kinds; /* enum overhead_kind, by item */
    unsigned counts[overhead_KINDS];
    unsigned count; /* all but NONE */
};

/* Whether there could be items of kind POINTER; if not, callers can stop. */
bool overhead_may_load_pointers(const struct subject *subject);
/* Memory of the subject's arena. */
void overhead_find(struct overhead *overhead, const struct subject *subject);
/* Cycles of an iteration without one kind, or, for overhead_NONE, without all; NaN: no answer. */
double overhead_cycles(const struct overhead *overhead, enum overhead_kind kind);
/* Whether a loop's addresses are worth reporting: its cycles are known and include no callee, it is not a
   peel or tail loop, and it was optimised. */
bool overhead_matters(const struct subject *subject);
#endif
