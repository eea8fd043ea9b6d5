/* What a loop has beside the path at hand. */
#ifndef QUALITY_RULES_AROUND_H
#define QUALITY_RULES_AROUND_H
#include "quality/subject.h"

/* Whether the loop has no other path, so that findings apply to every iteration. */
bool around_is_straight(const struct subject *subject);
/* Whether others may change memory while the loop runs: system calls, locks and fences say so. */
bool around_is_shared(const struct subject *subject);
/* Whether an access of the loop, on whatever path, has the base of this item's access, or one that was made
   of it, and an index that this one has not: then the two are elements of an array, and none of them can be
   kept in a register. */
bool around_is_array(const struct subject *subject, unsigned item);
#endif
