/* Instructions of a path that do nothing but find out where the data is.

   Most loops need a few: a counter that moves, an index that is loaded from an array of indices.  These are
   not counted here.  What is: pointers that are loaded again and again though they do not change, indices
   that are multiplied by a distance, and other sums, shifts and copies that only addresses depend on. */
#ifndef QUALITY_METRICS_OVERHEAD_H
#define QUALITY_METRICS_OVERHEAD_H
#include "quality/values.h"

enum overhead_kind {
    overhead_NONE,
    overhead_POINTER, /* loads an address from a place that stays, for accesses that move */
    overhead_STRIDE,  /* multiplies by what stays, or loads it for that; adds what stays in memory */
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
/* Whether a loop's addresses are worth a word at all: it is timed, with nothing left out that goes on in a
   callee, no peel or tail loop, and was optimised. */
bool overhead_matters(const struct subject *subject);
#endif
