/* Sums of which a remainder is taken in every iteration. */
#ifndef CODE_QUALITY_RULES_REMAINDERS_H
#define CODE_QUALITY_RULES_REMAINDERS_H
#include "code/quality/rules/rule.h"

/* Whether the loop waits for such a sum, whose divisor is a constant; then the remark has its text, figures and a
   remedy. */
bool remainders_find(const struct subject *subject, struct remark *remark);
#endif
