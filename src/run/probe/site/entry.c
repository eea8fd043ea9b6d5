/* Where functions begin, and the edges between their blocks. */
#include "run/probe/site/entry.h"

#include <stddef.h>
#include <string.h>

struct model_rows probe_edges_from(const struct model *model, uint32_t block)
{
    size_t offset = offsetof(struct edge, source);
    return (struct model_rows){(uint32_t)array_first_not_below(&model->edges, 0, offset, block),
                               (uint32_t)array_first_not_below(&model->edges, 0, offset, block + 1)};
}

struct model_rows probe_edges_of(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    size_t offset = offsetof(struct edge, source);
    uint32_t first = row->first_block;
    return (struct model_rows){
        (uint32_t)array_first_not_below(&model->edges, 0, offset, first),
        (uint32_t)array_first_not_below(&model->edges, 0, offset, first + row->block_count)};
}

enum isa probe_isa_of(const struct model *model, uint32_t function)
{
    return (enum isa)model_program(model, model_function(model, function)->program)->isa;
}

/* Indirect calls must land on these where the processor checks them. */
static bool is_landing_pad(enum isa isa, const uint8_t *bytes, size_t size)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (size < 4)
        return false;
    if (isa != isa_AARCH64)
        return !memcmp(bytes, endbr64, sizeof endbr64);
    uint32_t word =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    bool is_bti = (word & 0xffffff3f) == 0xd503241f;
    bool is_signing = (word & 0xffffffbf) == 0xd503233f; /* paciasp, pacibsp */
    return is_bti || is_signing;
}

uint32_t probe_entry_instruction(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    enum isa isa = probe_isa_of(model, function);
    for (uint32_t id = row->first_block; row->block_count && id < row->first_block + row->block_count; id++) {
        const struct block *block = model_block(model, id);
        if (block->address != row->address || !block->instruction_count)
            continue;
        struct span bytes = model_block_bytes(model, block);
        uint32_t first = block->first_instruction;
        bool stays = is_landing_pad(isa, bytes.data, bytes.size);
        bool has_next = block->instruction_count > 1 ||
                        (block->ends == block_end_FALL && id + 1 < row->first_block + row->block_count);
        return stays && has_next ? first + 1 : first;
    }
    return 0;
}
