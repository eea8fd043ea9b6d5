/* Spills and fills in the loop of a function that leaves stacked registers unused. */
#include "code/quality/rules/ia64.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    return ia64_find_spills(subject, remark, false);
}

const struct rule rule_ia64_spills = {
    .name = "ia64-spills",
    .title = "Itanium: values are spilled to the stack although stacked registers are free",
    .meaning =
        "A function asks for its registers with alloc, up to 96. Where it asks for fewer and still keeps "
        "values on the stack, each spill and fill takes one of the two M ports of its kind, and the value "
        "is late.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Copy the variable to a local one whose address is never taken before the loop; remove volatile.",
          action_KEEP_LOCAL},
         {audience_ANY, NULL, "Put the loop into a function of its own that is not inlined.", action_OUTLINE},
         {0}},
    .find = find,
};
