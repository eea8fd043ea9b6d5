/* A function that takes nearly all stacked registers, and what that costs the loop. */
#include "code/quality/rules/ia64.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    return ia64_find_spills(subject, remark, true);
}

const struct rule rule_ia64_register_stack = {
    .name = "ia64-register-stack",
    .title = "Itanium: the function takes nearly all stacked registers",
    .meaning =
        "A function can have 96 stacked registers. One that takes nearly all of them has more values than "
        "registers, and keeps the others in memory; and each call below it makes the register stack engine "
        "store registers and load them again.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_ANY, NULL,
          "Split the function, or put the loop into one of its own that is not inlined: fewer values are "
          "live in each.",
          action_OUTLINE},
         {audience_ANY, NULL, "Split the loop, or unroll it less.", action_SPLIT},
         {0}},
    .find = find,
};
