/* Stops and no-ops that the instructions of a loop do not need. */
#include "code/quality/rules/ia64.h"
#include "code/quality/without.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    struct anew anew;
    unsigned noops = 0;
    if (!ia64_matters(subject) || ia64_pipelined(subject) || !ia64_anew(subject, &anew) ||
        !without_gains(subject, anew.in_order))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->class == class_NOP) {
            noops++;
            remark_point(remark, i);
        }
    if (!noops)
        return false;
    remark->cycles = anew.in_order;
    remark->is_upper = true;
    remark_say(
        remark,
        "%u of the %u instructions are no-ops. The others, in the same order, need %.3g cycles if a stop "
        "stands only where one waits for another, instead of %.3g.",
        noops, subject->item_count, anew.in_order, subject->path->cycles);
    return true;
}

const struct rule rule_ia64_no_ops = {
    .name = "ia64-no-ops",
    .title = "Itanium: bundles are filled with no-ops and cut by stops",
    .meaning =
        "A cycle takes two bundles of three instructions up to the next stop. A stop that no dependence "
        "needs, or a template that cannot issue with the one after it, ends the cycle early, and no-ops "
        "fill the slots.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, NULL, "Try other options of GCC's scheduler: -O3, -fselective-scheduling2.",
          action_OTHER_OPTION},
         {audience_C, NULL,
          "In assembly and asm statements, put stops (;;) only where an instruction reads a result of the "
          "same group.",
          action_INTRINSICS},
         {0}},
    .find = find,
};
