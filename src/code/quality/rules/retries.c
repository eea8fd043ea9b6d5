/* AArch64 before version 8.1 has no atomic addition. Compilers write

       again: ldxr x4, [x1]; add x4, x4, x2; stxr w5, x4, [x1]; cbnz w5, again

   which nearly always runs once, so the loop that matters is the one around it. A comparison and exchange has
   a second way out and more than one block; it decides something, and is left alone. */
#include "code/quality/rules/retries.h"

#include "code/quality/values.h"

#include <stddef.h>

static uint32_t around(const struct subject *subject)
{
    return model_loop(subject->model, subject->loop)->parent;
}

/* Whether an instruction outside the loop uses a value that one inside made. */
static bool is_used_outside(const struct subject *subject)
{
    const struct model *model = subject->model;
    const struct loop *loop = model_loop(model, subject->loop);
    const struct function *function = model_function(model, loop->function);
    const struct block *first = model_block(model, function->first_block);
    size_t at =
        array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), first->first_instruction);
    for (; at < model->def_use.count; at++) {
        const struct def_use *row = model_def_use(model, (uint32_t)at);
        const struct block *user = model_block(model, model_instruction(model, row->use)->block);
        if (user->function != loop->function)
            break;
        if (user->loop == subject->loop || !row->definition)
            continue;
        uint32_t block = model_instruction(model, row->definition)->block;
        if (model_block(model, block)->loop == subject->loop)
            return true;
    }
    return false;
}

bool retry_is_update(const struct subject *subject)
{
    unsigned loads = 0, stores = 0, work = 0;
    if (!around(subject) || model_loop(subject->model, subject->loop)->block_count != 1 ||
        subject->items[0].row->isa != isa_AARCH64)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct encoding *row = subject->items[i].row;
        bool is_atomic = row->class == class_ATOMIC;
        loads += is_atomic && row->load_bytes;
        stores += is_atomic && row->store_bytes;
        work += !is_atomic && row->flow == flow_NEXT;
        if (!is_atomic && (row->load_bytes || row->store_bytes))
            return false;
    }
    return loads == 1 && stores == 1 && work && !is_used_outside(subject);
}

/* The register with the address of the update. */
static uint32_t place_of(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned k = 0; k < subject->items[i].operand_count; k++)
            if (subject->items[i].operands[k].kind == operand_kind_MEMORY)
                return model_full_register(subject->model, subject->items[i].operands[k].base_register);
    return 0;
}

/* Calls a function for each instruction of the loop around it until one returns true. */
static bool any_around(const struct subject *subject,
                       bool (*is)(const struct subject *subject, const struct subject_item *item))
{
    const struct model *model = subject->model;
    uint32_t loop = around(subject);
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            struct subject_item item;
            subject_item_take(model, &item, block->first_instruction + i);
            if (is(subject, &item))
                return true;
        }
    }
    return false;
}

static bool moves_place(const struct subject *subject, const struct subject_item *item)
{
    uint32_t place = place_of(subject);
    for (unsigned u = 0; u < item->use_count; u++)
        if (value_is_written(&item->uses[u]) &&
            model_full_register(subject->model, item->uses[u].register_) == place)
            return true;
    return false;
}

static bool is_call(const struct subject *subject, const struct subject_item *item)
{
    (void)subject;
    return item->row->flow == flow_CALL;
}

bool retry_is_same(const struct subject *subject)
{
    return !any_around(subject, moves_place);
}

bool retry_calls(const struct subject *subject)
{
    return any_around(subject, is_call);
}
