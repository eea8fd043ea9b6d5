/* What a promise of vectors depends on, beside what an iteration does: that iterations are independent, that
   there are enough of them, and that the compiler can see where accesses go. */
#ifndef CODE_QUALITY_VECTOR_DOUBTS_H
#define CODE_QUALITY_VECTOR_DOUBTS_H
#include "code/quality/vector/carried.h"

struct vector_doubts {
    int64_t trips;    /* iterations each time the loop is entered, as in struct subject; 0: unknown */
    bool seems_short; /* they are unknown, and there are signs that they are few (short_loop.h) */
    bool may_meet;    /* a later iteration may load what this one stores */
    bool has_many;    /* too many arrays for a compiler to check at run time whether they overlap */
    uint32_t reloads; /* the item that loads a pointer or the limit again, which a store may change;
                         item_count: none */
    uint32_t wraps; /* the item that makes a subscript of 32 bits, which may wrap around; item_count: none */
};

/* For a loop of so many lanes. Memory of the subject's arena. */
void doubts_find(struct vector_doubts *doubts, const struct subject *subject, unsigned lanes);
#endif
