/* Code as compilers write it without optimisation: every variable is on the stack. What else is wrong with
   it does not matter. */
#include "code/quality/rules/ia64.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned count = 0;
    if (!subject->work->is_bundled || !subject_is_timed(subject) || !ia64_is_unoptimised(subject))
        return false;
    uint8_t *changes = ia64_changes(subject);
    for (unsigned i = 0; i < subject->access_count; i++) {
        unsigned item = subject->accesses[i].item;
        if (!subject->accesses[i].is_stack || changes[item] != anew_STAYS)
            continue;
        changes[item] = anew_GONE;
        remark_point(remark, item);
        count++;
    }
    if (!count)
        return false;
    remark_say(remark,
               "No register carries a value from one iteration to the next: %u of the %u instructions load "
               "variables from the stack or store them there.",
               count, subject->item_count);
    remark->is_upper = ia64_gains(subject, changes, remark);
    return true;
}

const struct rule rule_ia64_not_optimised = {
    .name = "ia64-not-optimised",
    .title = "Itanium: the code was not compiled for speed",
    .meaning =
        "Without optimisation every variable lives on the stack, and each statement stands alone. A "
        "processor that issues in order waits for every one of these loads, and bundles are filled with "
        "no-ops.",
    .level = advice_level_GAIN,
    .remedies = {{audience_GCC, "-O3", "Compile with -O2 or -O3.", action_OPTIMISE},
                 {audience_INTEL, NULL, "Compile with -O2 or -O3.", action_OPTIMISE},
                 {0}},
    .find = find,
};
