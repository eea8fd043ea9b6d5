/* Loops all of whose work is on vectors, but on shorter ones than the processor has.

   Where some numbers are not contiguous, a short vector holds those that are (a complex number, a row of a
   small matrix), and longer ones would have to be assembled from them: then the rule is silent. */
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/vector_advice.h"

static bool find(const struct subject *subject, struct remark *remark)
{
    struct vector_advice advice;
    unsigned bits = subject->machine->core.vector_bits;
    if (!vector_advice_find(&advice, subject) || advice.scalar_count || !advice.vector_count ||
        advice.lane_accesses || advice.vectorising->vector >= bits || !vector_advice_gains(&advice, remark))
        return false;
    remark_say(remark, "The loop uses %u-bit vectors; this processor has %u-bit vectors.",
               advice.vectorising->vector, bits);
    vector_advice_promise(&advice, remark);
    if (vector_advice_may_be_older(&advice))
        remark_say(remark, " The file has wider vectors elsewhere: if this is a fallback version for older "
                           "processors, ignore this advice.");
    vector_advice_reasons(&advice, remark);
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorised)
            remark_point(remark, i);
    return true;
}

const struct rule rule_part_of_vector = {
    .name = "part-of-vector",
    .title = "The loop uses only part of the vector width",
    .meaning = "The processor has wider vectors than this loop uses. Instructions on wider vectors take "
               "about as long as those on narrower ones, so part of the throughput is lost.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-O3",
                  "Compile with -O3: with -O2, GCC combines only neighbouring statements into short vectors, "
                  "not iterations.",
                  action_OPTIMISE, precondition_short_vectors},
                 {audience_ANY, "-march",
                  "Compile for this processor: -march=native on x86-64, -mcpu=native on AArch64, -xHost for "
                  "Intel's compilers, or the name of the processor instead of native. The default for x86-64 "
                  "has 128-bit vectors only.",
                  action_TARGET, precondition_more_instructions},
                 {audience_C, NULL,
                  "If the loop was written for a fixed vector width (intrinsics, vector types), write it for "
                  "wider ones, or as a plain loop that the compiler vectorises.",
                  action_INTRINSICS}},
    .find = find};
