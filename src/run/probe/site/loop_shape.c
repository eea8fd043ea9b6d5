/* Edges are in order of their sources and blocks of a function have consecutive ids, so all edges of interest
   are those of the function; each is looked at once. */
#include "run/probe/site/loop_shape.h"

#include "run/probe/site/entry.h"
#include "run/probe/site/registers.h"

#include <stddef.h>
#include <stdlib.h>

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

bool loop_shape_has(const struct loop_shape *shape, uint32_t block)
{
    size_t at = array_first_not_below(&shape->blocks, 0, 0, block);
    return at < shape->blocks.count && *ARRAY_AT(uint32_t, &shape->blocks, at) == block;
}

bool probe_loop_has(const struct model *model, uint32_t loop, uint32_t block)
{
    size_t i = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; i < model->loop_blocks.count && model_loop_block(model, (uint32_t)i)->loop == loop; i++)
        if (model_loop_block(model, (uint32_t)i)->block == block)
            return true;
    return false;
}

static void add(struct array *array, uint32_t number)
{
    *(uint32_t *)array_push(array) = number;
}

static void take_block(struct loop_shape *shape, const struct model *model, uint32_t id)
{
    const struct block *block = model_block(model, id);
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
        enum flow flow = (enum flow)model_encoding(model, encoding)->flow;
        shape->has_calls = shape->has_calls || flow == flow_CALL || flow == flow_SYSTEM;
        shape->written |= probe_written(model, encoding, &shape->touched);
    }
}

void loop_shape_make(struct loop_shape *shape, const struct model *model, uint32_t loop)
{
    const struct loop *row = model_loop(model, loop);
    *shape = (struct loop_shape){.loop = loop,
                                 .function = row->function,
                                 .header = row->header,
                                 .is_irreducible = row->is_irreducible,
                                 .blocks = ARRAY_OF(uint32_t),
                                 .entries = ARRAY_OF(uint32_t),
                                 .exits = ARRAY_OF(uint32_t),
                                 .backs = ARRAY_OF(uint32_t)};
    size_t i = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; i < model->loop_blocks.count && model_loop_block(model, (uint32_t)i)->loop == loop; i++)
        add(&shape->blocks, model_loop_block(model, (uint32_t)i)->block);
    if (shape->blocks.count)
        qsort(shape->blocks.data, shape->blocks.count, sizeof(uint32_t), by_number);
    for (size_t b = 0; b < shape->blocks.count; b++)
        take_block(shape, model, *ARRAY_AT(uint32_t, &shape->blocks, b));
    struct model_rows edges = probe_edges_of(model, row->function);
    for (uint32_t e = edges.first; e < edges.end; e++) {
        const struct edge *edge = model_edge(model, e);
        bool is_from = loop_shape_has(shape, edge->source), is_to = loop_shape_has(shape, edge->target);
        if (is_to && !is_from)
            add(&shape->entries, e);
        else if (is_from && !is_to && edge->kind != edge_kind_EXCEPTION)
            add(&shape->exits, e);
        else if (is_from && edge->target == shape->header)
            add(&shape->backs, e);
    }
}

void loop_shape_free(struct loop_shape *shape)
{
    array_free(&shape->blocks);
    array_free(&shape->entries);
    array_free(&shape->exits);
    array_free(&shape->backs);
}
