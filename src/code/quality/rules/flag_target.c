/* Vector code for the oldest processors of an instruction set, on one that has more.

   The rule part-of-vector gives the cost, whatever the reason. This one names the reason, if the options are
   known and name no processor. */
#include "code/quality/rules/flags.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/targets.h"

#include <math.h>

static const double WORTH_A_WORD = 1.1;

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned bits = subject->machine->core.vector_bits, products = 0, sums = 0;
    double cycles = target_cycles(subject, target_native_bits(subject));
    bool is_x86 = subject->machine->isa == isa_X86_64;
    if (!flags_matter(subject) || subject->compiler->optimisation == 0 ||
        compiler_has(subject->compiler, "-march") || bits <= 128 || flags_is_beyond_baseline(subject) ||
        !flags_has_vectors(subject) || !(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->purpose != purpose_DATA || !item->is_vectorised || !item->is_vectorisable)
            continue;
        remark_point(remark, i);
        products += item->is_fp && item->row->class == class_MULTIPLY;
        sums += item->is_fp && item->row->class == class_ADD;
    }
    remark->cycles = cycles;
    remark_say(remark,
               "The code was compiled for the baseline of its instruction set, without %s: its vectors have "
               "128 bits, those of this processor %u",
               is_x86 ? "-march" : "-mcpu", bits);
    if (is_x86 && products && sums)
        remark_say(remark, ", and it has no fused multiply-add (FMA)");
    remark_say(remark, ".");
    return true;
}

const struct rule rule_flag_target = {
    .name = "flag-target",
    .title = "The code was compiled for a baseline processor",
    .meaning = "By default a compiler uses only instructions that every processor of the instruction set "
               "has: for x86-64 those of 2003, for AArch64 those of 2011. Wider vectors, fused multiply-adds "
               "and other later instructions stay unused.",
    .level = advice_level_HINT,
    .remedies =
        {{audience_GCC, "-march",
          "-march=native (AArch64: -mcpu=native) for the machine that compiles; for another one its name.",
          action_TARGET},
         {audience_CLANG, "-march",
          "-march=native (AArch64: -mcpu=native) for the machine that compiles; for another one its name.",
          action_TARGET},
         {audience_INTEL, "-march",
          "-xHost for the machine that compiles; -axCORE-AVX512,CORE-AVX2 makes several versions and selects "
          "one at run time.",
          action_TARGET},
         {audience_C, NULL,
          "If one program has to run everywhere: __attribute__((target_clones(\"default\", \"avx2\"))) on "
          "the function (GCC, Clang 14 and later) makes several versions and selects one at run time.",
          action_TARGET, precondition_avx2}},
    .find = find,
};
