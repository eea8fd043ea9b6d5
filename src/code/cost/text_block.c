#include "code/cost/text_block.h"

#include "model/tables.h"

bool text_block_begin(struct text_block *block, const struct text_code *code, struct error *error)
{
    *block = (struct text_block){.code = code, .targets = ARRAY_OF(uint64_t)};
    return snippets_begin(&block->snippets, code->isa, error) &&
           snippets_read(&block->snippets, code->bytes.data, code->bytes.count, error);
}

void text_block_end(struct text_block *block)
{
    if (block->has_costs)
        block_costs_end(&block->costs);
    snippets_end(&block->snippets);
    array_free(&block->targets);
}

/* The number of instructions: it is not a loop. */
static size_t loop_start(const struct text_block *block)
{
    const struct array *rows = &block->snippets.rows;
    if (!rows->count)
        return 0;
    const struct snippet_row *last = ARRAY_AT(struct snippet_row, rows, rows->count - 1);
    enum flow flow = model_encoding(&block->snippets.model, last->encoding)->flow;
    if (flow != flow_JUMP && flow != flow_BRANCH)
        return rows->count;
    if (block->code->instructions.count == rows->count)
        return text_code_loop_start(block->code);
    return last->target == 0 ? 0 : rows->count;
}

bool text_block_is_loop(const struct text_block *block)
{
    return loop_start(block) < block->snippets.rows.count;
}

/* Where an instruction is, and what it refers to. */
static struct text_instruction place_of(const struct text_block *block, size_t item)
{
    const struct snippet_row *row = ARRAY_AT(struct snippet_row, &block->snippets.rows, item),
                             *first = ARRAY_AT(struct snippet_row, &block->snippets.rows, block->first);
    struct text_instruction place = {.offset = row->offset, .target = row->target};
    if (block->code->instructions.count == block->snippets.rows.count)
        place = *ARRAY_AT(struct text_instruction, &block->code->instructions, item);
    if (!block->code->has_addresses)
        place.address = cost_start(block->mode) + row->offset - first->offset;
    return place;
}

static void take_entry(struct text_block *block)
{
    struct block_costs *costs = &block->costs;
    costs->entry.count = 0;
    for (size_t i = 0; i < block->first; i++) {
        uint32_t encoding = ARRAY_AT(struct snippet_row, &block->snippets.rows, i)->encoding;
        const struct machine_cost *cost = machine_cost(&costs->costs, encoding);
        if (cost->is_call)
            costs->entry.count = 0;
        else
            *(const struct machine_cost **)array_push(&costs->entry) = cost;
    }
    costs->block.entry = costs->entry.data;
    costs->block.entry_count = (unsigned)costs->entry.count;
}

void text_block_predict(struct text_block *block, const struct machine *machine, enum text_mode mode)
{
    struct block_costs *costs = &block->costs;
    if (block->has_costs)
        block_costs_end(costs);
    block->has_costs = true;
    block_costs_begin(costs, machine, &block->snippets.model);
    block_costs_clear(costs);
    bool is_loop = text_block_is_loop(block);
    block->mode = mode == text_LOOP || (mode == text_AS_IT_ENDS && is_loop) ? cost_LOOP : cost_UNROLLED;
    block->first = is_loop && mode != text_UNROLLED ? loop_start(block) : 0;
    take_entry(block);
    block->targets.count = 0;
    for (size_t i = block->first; i < block->snippets.rows.count; i++) {
        struct text_instruction place = place_of(block, i);
        uint32_t encoding = ARRAY_AT(struct snippet_row, &block->snippets.rows, i)->encoding;
        block_costs_add(costs, encoding, (uint32_t)i, place.address, place.target);
        *(uint64_t *)array_push(&block->targets) = place.target;
    }
    if (block->mode == cost_LOOP && !block->first && !block->code->has_addresses)
        block_costs_close(costs);
    block->path = (struct loop_path){0};
    loop_path_note(costs, block_costs_predict(costs, block->mode, cost_MARKS), &block->path);
}
