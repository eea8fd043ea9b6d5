/* Loop-carried values, and whether they prevent vectorisation. An induction variable does not; nor does a
 * reduction (sum, product, minimum, …), which can be kept in as many lanes and combined after the loop.
 * Everything else is a recurrence. */
#ifndef QUALITY_VECTOR_CARRIED_H
#define QUALITY_VECTOR_CARRIED_H
#include "quality/subject.h"

enum carried_kind {
    carried_NOTHING,   /* counters and pointers at most */
    carried_REDUCTION, /* of integers: in any order it is the same */
    carried_EXTREME,   /* minimum or maximum of floating-point numbers: the same but for NaN and signs of 0 */
    carried_SUM,       /* of floating-point numbers: another order rounds otherwise */
    carried_IN_MEMORY, /* a reduction that goes through memory in every iteration */
    carried_RECURRENCE, /* each number needs the one before */
    carried_CHASE,      /* each address does */
};

struct carried {
    enum carried_kind kind; /* the last in that order that there is */
    uint8_t *kinds;         /* by item: enum carried_kind of what it is a part of */
};

/* Values that come back after so many iterations or later are no obstacle.  Memory of the subject's arena. */
void carried_find(struct carried *carried, const struct subject *subject, unsigned iterations);
#endif
