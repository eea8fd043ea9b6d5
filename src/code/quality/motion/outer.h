/* Where the accesses of an innermost loop go from one iteration of the loop around it to the next. */
#ifndef CODE_QUALITY_MOTION_OUTER_H
#define CODE_QUALITY_MOTION_OUTER_H
#include "code/quality/motion/motion.h"

/* How the address of an access at the start of the inner loop moves with the loop around it; VARIES if that
   cannot be followed, or if there is no loop around it. */
struct motion motion_outer(const struct subject *subject, unsigned item, const struct cost_access *access);
/* The same with another loop around it, further out; what moves with a loop in between cannot be followed. */
struct motion motion_around(const struct subject *subject, unsigned item, const struct cost_access *access,
                            uint32_t around);
#endif
