/* Branches that put a limit in place of a number: saturation and clipping. */
#ifndef CODE_QUALITY_RULES_LIMITS_H
#define CODE_QUALITY_RULES_LIMITS_H
#include "code/quality/rules/forks.h"
#include "code/quality/values.h"

/* Whether a side of the fork leaves nothing but limits: constants, numbers that the loop does not change, and
   what flags and the sign select from these. The other side has the number itself. */
bool limits_are_put_in(struct values *values, const struct fork *fork, unsigned compare);
#endif
