/* Loops that the programmer unrolled by hand and the compiler once more.

   The loop after it shows that a loop was unrolled by hand: it does the remaining elements one by one,
   in the same way, so an iteration of this loop has a whole number of times the footprint of one of that.
   A structure of four numbers for each element looks the same in a loop, but has no such loop after it. A
   loop that starts at the beginning of an array again is not the one that does the rest. */
#include "code/quality/families.h"
#include "code/quality/footprint.h"
#include "code/quality/rules/rule.h"

#include <stddef.h>

/* From this many copies of one iteration, by hand and by the compiler, it is too much; the loop that does the
   rest is expected within this many lines. */
enum { LEAST_BY_HAND = 2, LEAST_COPIES = 8, MOST_LINES_BEHIND = 40, MOST_FAMILIES_AWAY = 32 };

static struct footprint footprint_of(const struct model *model, uint32_t loop)
{
    struct footprint footprint = {0};
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            footprint_add(&footprint, model, block->first_instruction + i);
    }
    return footprint;
}

/* How many times the work of an iteration of the other family is in one of this family; 0: not a whole
   number. */
static uint32_t unrolled_by_hand(const struct subject *subject, const struct loop_family *other)
{
    const struct model *model = subject->model;
    const struct loop_role_row *role = families_role(model, other->main);
    if (!role || role->iterations == NO_NUMBER || role->iterations < 1 || subject->role->iterations < 1)
        return 0;
    struct footprint this = footprint_of(model, subject->loop), that = footprint_of(model, other->main);
    uint64_t mine = (uint64_t)subject->role->iterations, theirs = (uint64_t)role->iterations;
    /* Whether both do the same work: the same multiple of everything. */
    const uint32_t amounts[][2] = {
        {this.flops, that.flops}, {this.stored, that.stored}, {this.loaded, that.loaded}};
    uint32_t ratio = 0;
    for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        uint64_t a = amounts[i][0] * theirs, b = amounts[i][1] * mine;
        if (!a && !b)
            continue;
        if (!b || a % b || (ratio && a / b != ratio))
            return 0;
        ratio = (uint32_t)(a / b);
    }
    return ratio;
}

/* Whether a register has a value from the start of an array: an argument, a constant, an address, a load; not
   one that was computed, or that another loop moved. */
static bool is_start(const struct model *model, const struct def_use *row)
{
    if (!row->definition)
        return true;
    const struct encoding *made = model_encoding(model, model_instruction(model, row->definition)->encoding);
    return made->class == class_MOVE || made->class == class_LOAD || made->class == class_POP ||
           made->operation == operation_EXCLUSIVE_OR;
}

static bool is_inside(const struct model *model, uint32_t loop, uint32_t instruction)
{
    uint32_t block = model_instruction(model, instruction)->block;
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++)
        if (model_loop_block(model, (uint32_t)at)->block == block)
            return true;
    return false;
}

/* Whether all registers in the addresses of an instruction get their first value from the start of an array.
   Counts those that move. */
static bool starts_anew(const struct model *model, uint32_t loop, uint32_t instruction, unsigned *moving)
{
    struct subject_item item;
    subject_item_take(model, &item, instruction);
    for (unsigned u = 0; u < item.use_count; u++) {
        uint32_t full = model_full_register(model, item.uses[u].register_);
        bool is_moving = false, is_anew = true;
        size_t at = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), instruction);
        for (; item.uses[u].is_address && at < model->def_use.count; at++) {
            const struct def_use *row = model_def_use(model, (uint32_t)at);
            if (row->use != instruction)
                break;
            if (row->register_ != full)
                continue;
            if (row->definition && is_inside(model, loop, row->definition))
                is_moving = true;
            else
                is_anew = is_anew && is_start(model, row);
        }
        *moving += is_moving;
        if (!is_anew)
            return false;
    }
    return true;
}

static bool is_another(const struct model *model, uint32_t loop)
{
    unsigned moving = 0;
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            if (!starts_anew(model, loop, block->first_instruction + i, &moving))
                return false;
    }
    return moving > 0;
}

/* The loop after this one that does the remaining iterations. */
static uint32_t find_by_hand(const struct subject *subject)
{
    const struct model *model = subject->model;
    const struct loop_family *family = subject->family;
    uint32_t id = subject->role->family, at = id > MOST_FAMILIES_AWAY ? id - MOST_FAMILIES_AWAY : 1;
    for (; at < model->loop_families.count && at <= id + MOST_FAMILIES_AWAY; at++) {
        const struct loop_family *other = model_loop_family(model, at);
        if (other->function != family->function)
            continue;
        if (other == family || other->file != family->file || other->first_line <= family->last_line ||
            other->first_line > family->last_line + MOST_LINES_BEHIND)
            continue;
        uint32_t by_hand = unrolled_by_hand(subject, other);
        if (by_hand >= LEAST_BY_HAND && !is_another(model, other->main))
            return by_hand;
    }
    return 0;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct loop_role_row *role = subject->role;
    if (!role || !subject->family || (role->role != loop_role_MAIN && role->role != loop_role_ONLY) ||
        role->unroll == NO_NUMBER || role->unroll < 2 || !subject->family->last_line ||
        subject->metric->call_count)
        return false;
    uint32_t by_hand = find_by_hand(subject);
    if (!by_hand || by_hand * (uint32_t)role->unroll < LEAST_COPIES)
        return false;
    remark_say(remark,
               "The source does %u elements per iteration, and the compiler combined %d such iterations into "
               "one of %u instructions.",
               by_hand, role->iterations, subject->item_count);
    if (subject->metric->stack_reference_count)
        remark_say(remark,
                   " %u of them are spills: loads and stores of values that no register was left for.",
                   subject->metric->stack_reference_count);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_arithmetic)
            remark_point(remark, i);
    return true;
}

const struct rule rule_unrolled_twice = {
    .name = "unrolled-twice",
    .title = "The loop is unrolled twice: in the source and by the compiler",
    .meaning =
        "A loop that was unrolled by hand and again by the compiler needs many iterations to reach its main "
        "part at all, and may need more registers and more of the µop cache (DSB) than there is. And the "
        "compiler vectorises a plain loop better than one with several elements per iteration.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_ANY, NULL,
                  "Write the plain loop, one element per iteration, without a remainder loop, and leave "
                  "unrolling to the compiler.",
                  action_UNROLL_LESS},
                 {audience_GCC, NULL,
                  "Or keep it and stop the compiler from unrolling it: #pragma GCC unroll 1 above the loop, "
                  "or compile the file without -funroll-loops.",
                  action_UNROLL_LESS},
                 {audience_CLANG, NULL,
                  "Or keep it and stop the compiler from unrolling it: #pragma clang loop unroll(disable) "
                  "interleave(disable) above the loop.",
                  action_UNROLL_LESS},
                 {audience_INTEL, NULL,
                  "Or keep it and stop the compiler from unrolling it: #pragma nounroll (Fortran: !DIR$ "
                  "NOUNROLL) above the loop.",
                  action_UNROLL_LESS}},
    .find = find,
};
