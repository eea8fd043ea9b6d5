/* Loops all of whose work is on vectors, but on shorter ones than the processor has.

   Where some numbers do not lie side by side, the short vectors are what does (a complex number, a row of a
   small matrix), and longer ones would have to be put together from them: nothing is said. */
#include "quality/rules/vector_advice.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    struct vector_advice advice;
    unsigned bits = subject->machine->core.vector_bits;
    if (!vector_advice_find(&advice, subject) || advice.scalar_count || !advice.vector_count ||
        advice.lane_accesses || advice.vectorising->vector >= bits || !vector_advice_gains(&advice, remark))
        return false;
    remark_say(remark, "The loop works on vectors of %u bits; those of this processor have %u.",
               advice.vectorising->vector, bits);
    vector_advice_promise(&advice, remark);
    if (vector_advice_may_be_older(&advice))
        remark_say(remark,
                   " The file has longer vectors elsewhere: if this is a version for older processors "
                   "beside a newer one, all is well.");
    vector_advice_reasons(&advice, remark);
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorised)
            remark_point(remark, i);
    return true;
}

const struct rule rule_part_of_vector = {
    .name = "part-of-vector",
    .title = "The loop uses a part of the vector length",
    .meaning =
        "The processor's vector instructions can work on more numbers at once than those of this loop do. "
        "Instructions on longer vectors take about as much time as those on shorter ones, so a part of "
        "what could be done is lost.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_ANY, "-march",
                  "Let the compiler use the processor's own instructions: -march=native on x86-64, "
                  "-mcpu=native on AArch64, "
                  "-xHost for Intel's compilers, or the name of the processor instead of native. The default "
                  "of x86-64 has "
                  "vectors of 128 bits only."},
                 {audience_C, NULL,
                  "Where the loop was written for vectors of a certain length (intrinsics, vector types), "
                  "write it for "
                  "longer ones, or as a plain loop that the compiler vectorises."},
                 {audience_ANY, NULL,
                  "Where the number of iterations is small or fixed, let the loop that is vectorised be the "
                  "one that runs "
                  "along the longer dimension: with few iterations a compiler takes short vectors."}},
    .find = find};
