/* A part shares the frame of its owner: they jump into each other's middle, which separate functions never
   do. Without symbols both look like functions.  A part is not called, and everything that jumps into it
   comes from its owner.  A probe must see both as one: the owner is entered, and the part may have its only
   return. */
#include "run/probe/site/function_parts.h"

#include "run/probe/site/entry.h"

#include <stddef.h>
#include <stdlib.h>

struct evidence {
    uint32_t from; /* the only other function that jumps into it; UINT32_MAX: several */
    bool is_called, has_middle;
};

static uint32_t function_of(const struct model *model, uint32_t block)
{
    return model_block(model, block)->function;
}

static void note_jump(struct evidence *evidence, const struct model *model, const struct edge *edge)
{
    uint32_t from = function_of(model, edge->source), to = function_of(model, edge->target);
    if (from == to || !from || !to || edge->kind == edge_kind_EXCEPTION)
        return;
    bool is_start = model_block(model, edge->target)->address == model_function(model, to)->address;
    evidence[to].from = evidence[to].from && evidence[to].from != from ? UINT32_MAX : from;
    if (!is_start)
        evidence[from].has_middle = evidence[to].has_middle = true;
}

static int by_owner(const void *left, const void *right)
{
    const struct function_part *a = left, *b = right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

static bool is_part(const struct model *model, const struct evidence *evidence, uint32_t function)
{
    const struct evidence *row = &evidence[function];
    if (row->is_called || !row->has_middle || !row->from || row->from == UINT32_MAX)
        return false;
    const struct evidence *owner = &evidence[row->from];
    bool is_mutual = owner->from == function && !owner->is_called;
    const struct function *rows[] = {model_function(model, function), model_function(model, row->from)};
    return owner->has_middle && rows[0]->program == rows[1]->program &&
           (!is_mutual || rows[0]->size < rows[1]->size);
}

void function_parts_find(struct function_parts *parts, const struct model *model)
{
    struct evidence *evidence = memory_get(model->functions.count * sizeof *evidence);
    for (size_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, (uint32_t)i);
        if (call->callee && call->kind != call_kind_TAIL)
            evidence[call->callee].is_called = true;
    }
    for (size_t i = 0; i < model->edges.count; i++)
        note_jump(evidence, model, model_edge(model, (uint32_t)i));
    *parts = (struct function_parts){.parts = ARRAY_OF(struct function_part)};
    parts->owner = memory_get(model->functions.count * sizeof *parts->owner);
    for (uint32_t i = 1; i < model->functions.count; i++)
        if (is_part(model, evidence, i) && !is_part(model, evidence, evidence[i].from)) {
            parts->owner[i] = evidence[i].from;
            *(struct function_part *)array_push(&parts->parts) = (struct function_part){evidence[i].from, i};
        }
    if (parts->parts.count)
        qsort(parts->parts.data, parts->parts.count, sizeof(struct function_part), by_owner);
    free(evidence);
}

void function_parts_free(struct function_parts *parts)
{
    free(parts->owner);
    array_free(&parts->parts);
}

static void add_targets(const struct model *model, struct model_rows edges, const struct function *part,
                        uint8_t *is_reached, struct array *blocks)
{
    for (uint32_t i = edges.first; i < edges.end; i++) {
        uint32_t target = model_edge(model, i)->target, at = target - part->first_block;
        if (target < part->first_block || at >= part->block_count || is_reached[at] ||
            !model_block(model, target)->instruction_count)
            continue;
        is_reached[at] = 1;
        *(uint32_t *)array_push(blocks) = target;
    }
}

void function_parts_blocks(const struct function_parts *parts, const struct model *model, uint32_t owner,
                           struct array *blocks)
{
    size_t i = array_first_not_below(&parts->parts, 0, offsetof(struct function_part, owner), owner);
    for (; i < parts->parts.count; i++) {
        const struct function_part *row = ARRAY_AT(struct function_part, &parts->parts, i);
        if (row->owner != owner)
            break;
        const struct function *part = model_function(model, row->part);
        uint8_t *is_reached = memory_get(part->block_count + 1);
        size_t next = blocks->count;
        add_targets(model, probe_edges_of(model, owner), part, is_reached, blocks);
        for (; next < blocks->count; next++)
            add_targets(model, probe_edges_from(model, *ARRAY_AT(uint32_t, blocks, next)), part, is_reached,
                        blocks);
        free(is_reached);
    }
}
