/* A block is conditional if it does not dominate every block that jumps back to the header: then an iteration
   may go round without it.

   GCC 12 makes selections of branches at -O3 alone if both sides only choose between values. It needs
   -fno-trapping-math for floating-point arithmetic of one side, because the other iterations must not raise
   its exceptions. It does not store where the source does not, unless the target has masked stores. Two
   conditional blocks that store are taken for both sides of one branch, which store to the same place. */
#include "code/quality/vector/sides.h"

#include "code/quality/vector/carried.h"

#include <stddef.h>

static bool may_trap(const struct encoding *row)
{
    bool computes = row->class == class_ADD || row->class == class_MULTIPLY || row->class == class_FMA ||
                    row->class == class_DIVIDE || row->class == class_SQRT || row->class == class_CONVERT;
    return computes && row->element >= element_FP16 && row->element <= element_FP64;
}

enum sides_kind sides_find(const struct subject *subject)
{
    const struct model *model = subject->model;
    size_t first =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    unsigned storing = 0;
    bool computes = false;
    for (size_t i = first;
         i < model->loop_blocks.count && model_loop_block(model, (uint32_t)i)->loop == subject->loop; i++) {
        uint32_t id = model_loop_block(model, (uint32_t)i)->block;
        const struct block *block = model_block(model, id);
        if (subject_always_takes(subject, id))
            continue;
        bool stores = false;
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            const struct encoding *row =
                model_encoding(model, model_instruction(model, block->first_instruction + k)->encoding);
            computes |= may_trap(row);
            stores |= row->store_bytes > 0;
        }
        storing += stores;
    }
    return storing == 1 ? sides_STORE : computes ? sides_COMPUTE : sides_SELECT;
}

bool sides_are_contiguous(const struct subject *subject)
{
    struct carried carried;
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].pattern != access_pattern_STRIDE_ONE &&
            subject->accesses[i].pattern != access_pattern_INVARIANT)
            return false;
    carried_find(&carried, subject, 2);
    return carried.kind == carried_NOTHING && !subject->metric->call_count;
}

bool sides_is_same_place(const struct operand *one, const struct operand *other)
{
    return one && other && one->base_register == other->base_register &&
           one->index_register == other->index_register && one->scale == other->scale &&
           one->displacement == other->displacement && !one->is_relative;
}

/* Whether a block accesses this place in memory. */
static bool accesses(const struct subject *subject, uint32_t id, const struct operand *place)
{
    const struct block *block = model_block(subject->model, id);
    for (uint32_t k = 0; k < block->instruction_count; k++) {
        struct subject_item item;
        subject_item_take(subject->model, &item, block->first_instruction + k);
        const struct operand *memory = subject_item_memory(&item);
        if (memory && (item.row->load_bytes || item.row->store_bytes) && sides_is_same_place(memory, place))
            return true;
    }
    return false;
}

static bool is_always_accessed(const struct subject *subject, const struct operand *place)
{
    const struct model *model = subject->model;
    size_t i =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; i < model->loop_blocks.count && model_loop_block(model, (uint32_t)i)->loop == subject->loop; i++) {
        uint32_t id = model_loop_block(model, (uint32_t)i)->block;
        if (subject_always_takes(subject, id) && accesses(subject, id, place))
            return true;
    }
    return false;
}

bool sides_become_vectors(const struct subject *subject)
{
    const struct model *model = subject->model;
    if (sides_find(subject) != sides_SELECT || !sides_are_contiguous(subject))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        const struct operand *memory = subject_item_memory(item);
        if (memory && item->row->load_bytes &&
            !subject_always_takes(subject, model_instruction(model, item->instruction)->block) &&
            !is_always_accessed(subject, memory))
            return false;
    }
    return true;
}
