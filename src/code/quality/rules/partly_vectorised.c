/* Loops that work on vectors and on single numbers, where the scalar part costs more than necessary. */
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/vector_advice.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    struct vector_advice advice;
    if (!vector_advice_find(&advice, subject) || !advice.vector_count || !advice.scalar_count ||
        !vector_advice_gains(&advice, remark))
        return false;
    remark_say(remark, "Of the %u instructions that work on its data, %u %s and %u %s scalar.",
               advice.vector_count + advice.scalar_count, advice.vector_count,
               advice.vector_count == 1 ? "is a vector instruction" : "are vector instructions",
               advice.scalar_count, advice.scalar_count == 1 ? "is" : "are");
    vector_advice_promise(&advice, remark);
    vector_advice_reasons(&advice, remark);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->purpose == purpose_DATA && item->is_vectorisable && !item->is_vectorised)
            remark_point(remark, i);
    }
    return true;
}

const struct rule rule_partly_vectorised = {
    .name = "partly-vectorised",
    .title = "The loop is only partly vectorised",
    .meaning = "The loop mixes vector and scalar instructions. A scalar instruction takes as long for one "
               "number as a vector instruction for a whole vector, and moving numbers between the two takes "
               "extra instructions.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-O3",
                  "Compile with -O3: with -O2, GCC vectorises only where its cost model sees no overhead.",
                  action_OPTIMISE, precondition_vectorisable},
                 {audience_ANY, "-march",
                  "Compile for this processor: -march=native on x86-64, -mcpu=native on AArch64, -xHost for "
                  "Intel's compilers. The default for x86-64 lacks many vector instructions.",
                  action_TARGET, precondition_more_instructions}},
    .find = find};
