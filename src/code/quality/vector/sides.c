/* A block is conditional if it does not dominate every block that jumps back to the header: then an iteration
   may go round without it.

   GCC 12 makes selections of branches at -O3 alone if both sides only choose between values. It needs
   -fno-trapping-math for floating-point arithmetic of one side, because the other iterations must not raise
   its exceptions. It does not store where the source does not, unless the target has masked stores. Two
   conditional blocks that store are taken for both sides of one branch, which store to the same place. */
#include "code/quality/vector/sides.h"

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
