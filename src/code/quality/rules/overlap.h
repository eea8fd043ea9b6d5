/* Sums in a loop inside another one: the next sum begins before this one is done. */
#ifndef CODE_QUALITY_RULES_OVERLAP_H
#define CODE_QUALITY_RULES_OVERLAP_H
#include "code/quality/rules/rule.h"

/* Cycles of an iteration whose time is the wait for the one before, less what overlaps with the next time that the
   loop is entered; those of the path where nothing does. */
double overlap_cycles(const struct subject *subject);
/* Takes these as the cycles of now, and says so where they are clearly fewer than those of the path. */
void overlap_take(const struct subject *subject, struct remark *remark);
#endif
