/* Old SSE instructions among AVX code that leaves the upper halves of vector registers in use.

   What a switch costs is a fact of the machine (`transition`): two hundred cycles on Golden Cove, seventy up
   to Broadwell. It is not among the cycles of the path, so the gain is computed from both together. Machines
   without the fact keep the upper halves of a register that SSE code writes: each such instruction waits for
   the old value of its result, which is worth a hint if the machine file says so. */
#include "model/isa.h"
#include "code/quality/rules/rule.h"

/* Instructions in the encoding of SSE that write a vector register. */
static bool is_old(const struct subject *subject, const struct subject_item *item)
{
    if (item->row->is_avx || !isa_facts((enum isa)item->row->isa)->is_x86)
        return false;
    for (unsigned i = 0; i < item->use_count; i++)
        if (item->uses[i].access & access_WRITE &&
            model_register(subject->model, item->uses[i].register_)->kind == register_kind_VECTOR)
            return true;
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct loop_metric *metric = subject->metric;
    const struct machine_core *core = &subject->machine->core;
    char old[64], switches[64];
    unsigned count = 0;
    if (!metric->transition_count || subject_is_aside(subject) ||
        (!(core->transition > 0) && !core->blends_upper_halves))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_old(subject, &subject->items[i])) {
            remark_point(remark, i);
            count++;
        }
    remark_count(old, sizeof old, count, "legacy SSE instruction", "legacy SSE instructions");
    remark_count(switches, sizeof switches, metric->transition_count, "time", "times");
    if (core->transition > 0) {
        remark->cycles = subject->path->cycles;
        remark->now = remark->cycles + metric->transition_cycles;
        remark_say(remark,
                   "%s and AVX code alternate: the processor switches between them %s per iteration, which "
                   "costs about %.0f extra cycles.",
                   old, switches, metric->transition_cycles);
    } else {
        remark->level = advice_level_HINT;
        remark_say(
            remark,
            "%s and AVX code alternate while the upper halves of registers are in use: on this processor "
            "each legacy instruction then has a false dependence on the register that it writes.",
            old);
    }
    return true;
}

const struct rule rule_sse_avx = {
    .name = "sse-avx",
    .title = "SSE and AVX code are mixed",
    .meaning = "AVX widened the vector registers; legacy SSE instructions use only their lower halves. When "
               "such an instruction runs while upper halves are in use, the processor has to preserve these "
               "halves for the next AVX instruction (an SSE/AVX transition).",
    .level = advice_level_GAIN,
    .remedies = {{audience_GCC, "-msse2avx",
                  "-msse2avx makes the assembler encode the legacy instructions of inline assembly as AVX.",
                  action_OTHER_OPTION},
                 {audience_C, NULL,
                  "Replace inline assembly by intrinsics (such as _mm_rsqrt_ss), which the compiler encodes "
                  "as AVX, or use the VEX form of the instructions (vrsqrtss).",
                  action_INTRINSICS},
                 {audience_C, NULL,
                  "Where legacy code cannot be changed, call _mm256_zeroupper() between the AVX code and it.",
                  action_INTRINSICS},
                 {0}},
    .find = find,
};
