/* Loops that work on vectors and on single numbers, where the single ones cost more than they have to. */
#include "quality/rules/vector_advice.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    struct vector_advice advice;
    if (!vector_advice_find(&advice, subject) || !advice.vector_count || !advice.scalar_count ||
        !vector_advice_gains(&advice, remark))
        return false;
    remark_say(
        remark,
        "Of the %u instructions that work on its data, %u work on vectors and %u on one number at a time.",
        advice.vector_count + advice.scalar_count, advice.vector_count, advice.scalar_count);
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
    .meaning =
        "Some instructions of the loop work on several numbers at once, others on one at a time. The single "
        "ones take as much time for one number as the others for a whole vector, and numbers have to be "
        "put together and taken apart on the way between them.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, "-O3", "Compile with -O3: with -O2 GCC vectorises only what costs nothing."},
         {audience_ANY, "-march",
          "Let the compiler use the processor's own instructions: -march=native on x86-64, -mcpu=native on "
          "AArch64, "
          "-xHost for Intel's compilers. The default of x86-64 lacks many vector instructions."},
         {audience_ANY, NULL,
          "Make every array of the loop one of neighbouring elements of the same type and size: no strides, "
          "no "
          "mixture of float and double, an array for each member instead of an array of structures."}},
    .find = find};
