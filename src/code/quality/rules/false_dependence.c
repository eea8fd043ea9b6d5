/* Chains through registers whose old value nobody needs (x86).

   Scalar conversions, roots and roundings write the lower part of a vector register and keep the rest: they
   wait for whatever wrote it before. Intel's cores before Ice Lake wait for the old value of the register
   that popcnt, lzcnt and tzcnt overwrite (tzcnt and lzcnt only before Skylake): the tables of forms show it.
   If the same register is used in every iteration, the iterations wait for each other. An instruction that
   sets the register to zero before, at no cost, ends that. The figure is the loop without these inputs. */
#include "model/isa.h"
#include "code/quality/rules/around.h"
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <math.h>

enum { MOST_ITEMS = 1024 };
static const double WORTH_A_WORD = 1.15;

static const struct remedy not_small = {audience_GCC, NULL,
                                        "Compile with -O2 instead of -Os: for size, GCC leaves out the "
                                        "instructions that set the register to zero "
                                        "(xorps, pxor, xor) before such an instruction.",
                                        action_OTHER_OPTION, NULL};

/* The operand with the data: the last one that is no constant. */
static const struct operand *data_of(const struct subject_item *item)
{
    unsigned last = item->operand_count;
    while (last && item->operands[last - 1].kind == operand_kind_IMMEDIATE)
        last--;
    return last > 1 ? &item->operands[last - 1] : NULL;
}

static bool flows_from(const struct machine_cost *cost, uint16_t resource)
{
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].from == resource && cost->flows[i].way == way_REGISTER)
            return true;
    return false;
}

/* The register whose old value the item waits for without using it; RESOURCE_NONE for none. */
static uint16_t false_input(const struct subject *subject, unsigned number)
{
    const struct subject_item *item = &subject->items[number];
    const struct machine_cost *cost = ((const struct cost_item *)subject->work->items.data)[number].cost;
    const uint16_t *resource_of = subject->work->costs.resource_of;
    const struct operand *data = data_of(item);
    enum class class = item->row->class;
    bool is_count = class == class_BIT;
    if (!isa_facts((enum isa)item->row->isa)->is_x86 || item->row->is_vector || !data ||
        (!is_count && class != class_CONVERT && class != class_SQRT && class != class_ESTIMATE))
        return RESOURCE_NONE;
    /* Of three operands, the second one gives the rest of the register. */
    const struct operand *kept = data - item->operands == 2 ? &item->operands[1] : &item->operands[0];
    if (kept->kind != operand_kind_REGISTER || item->operands[0].kind != operand_kind_REGISTER ||
        (is_count && (kept->access & access_READ || data - item->operands != 1)))
        return RESOURCE_NONE;
    uint16_t resource = resource_of[kept->register_];
    unsigned kind = model_register(subject->model, kept->register_)->kind;
    if (kind != (is_count ? register_kind_GENERAL : register_kind_VECTOR) ||
        (data->kind == operand_kind_REGISTER && resource_of[data->register_] == resource) ||
        !flows_from(cost, resource))
        return RESOURCE_NONE;
    return resource;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct without without;
    const char *name = NULL;
    unsigned count = 0;
    if (!without_matters(subject) || subject->item_count > MOST_ITEMS ||
        !(subject_bound(subject, core_part_LATENCY) > 0))
        return false;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        uint16_t input = false_input(subject, i);
        if (!input || !subject_is_marked(subject, core_part_LATENCY, i))
            continue;
        without_input(&without, i, input);
        remark_point(remark, i);
        name = ((const struct cost_item *)subject->work->items.data)[i].cost->name;
        count++;
    }
    if (!count)
        return false;
    double cycles = without_cycles_in_place(&without);
    if (isnan(cycles) || !(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    remark->cycles = cycles;
    if (!around_is_straight(subject))
        remark->level = advice_level_POTENTIAL;
    remark_say(
        remark,
        "Each iteration waits for the one before, but only because %s%s waits for the old value of the "
        "register that it writes, which nobody needs (a false dependence). Without that, an iteration "
        "would take %.2f cycles instead of %.2f.",
        name, count > 1 ? " (and others)" : "", cycles, subject->path->cycles);
    if (!subject->compiler->flags || subject->compiler->optimises_size)
        remark_advise(remark, &not_small);
    return true;
}

const struct rule rule_false_dependence = {
    .name = "false-dependence",
    .title = "Iterations wait for an old value that nobody needs",
    .meaning =
        "Some instructions wait for the old contents of the register that they overwrite: conversions to "
        "floating point, scalar square roots and roundings (they keep the upper part of the register), "
        "and on Intel's processors before Ice Lake counts of bits. If each iteration uses the same "
        "register, the iterations run one after the other.",
    .level = advice_level_GAIN,
    .remedies = {{audience_C, NULL,
                  "In assembly, set the register to zero first: xorps or pxor for a vector register, xor for "
                  "a general "
                  "one; in intrinsics, start from _mm_setzero_pd() (_mm_cvtsi64_sd, _mm_sqrt_sd).",
                  action_INTRINSICS, NULL},
                 {0}},
    .find = find,
};
