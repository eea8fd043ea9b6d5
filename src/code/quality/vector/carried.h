/* Loop-carried values, and whether they prevent vectorisation. An induction variable does not; nor does a
 * reduction (sum, product, minimum, …), which can be kept in as many lanes and combined after the loop.
 * Everything else is a recurrence. */
#ifndef CODE_QUALITY_VECTOR_CARRIED_H
#define CODE_QUALITY_VECTOR_CARRIED_H
#include "code/quality/subject.h"

enum carried_kind {
    carried_NOTHING,   /* counters and pointers at most */
    carried_REDUCTION, /* of integers: the same in any order */
    carried_EXTREME,   /* minimum or maximum of floating-point numbers: the same but for NaN and signs of 0 */
    carried_SUM,       /* of floating-point numbers: another order rounds differently */
    carried_IN_MEMORY, /* a reduction that goes through memory in every iteration */
    carried_RECURRENCE, /* each number needs the one before */
    carried_CHASE,      /* each address needs the one before */
};

struct carried {
    enum carried_kind kind; /* the last of that order that occurs */
    uint8_t *kinds;         /* by item: enum carried_kind of its component */
    /* An item that needs something that an earlier iteration made or loaded, though it is not a running
       result (m = c * x; x = a[i]; a[i] = x - m); item_count: none. */
    uint32_t passed;
};

/* Values that come back after this many iterations or later are not an obstacle. Memory of the subject's
   arena. */
void carried_find(struct carried *carried, const struct subject *subject, unsigned iterations);
#endif
