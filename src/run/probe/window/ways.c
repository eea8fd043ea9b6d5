/* Points on the ways to a place.

   Some places have room for a trap alone: `ret` of one byte between targets of jumps.  If all ways there are
   known branches and what falls through, what happens before the instruction can happen on these ways
   instead: a few jumps serve better than one trap, which costs a thousand times as much. */
#include "run/probe/window/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WAYS = 8 };
static const uint32_t BEHIND = UINT32_C(1) << 31; /* in the order: what was on the way before comes first */

struct candidate {
    uint32_t block, row;
    uint32_t count; /* of ways; MOST_WAYS + 1: too many */
    uint32_t edges[MOST_WAYS];
    bool is_moved;
};

struct ways {
    struct making *making;
    uint32_t *numbers;       /* by block: number of its candidate + 1; 0: none */
    struct array candidates; /* of struct candidate */
};

static bool may_move(const struct making *making, const struct stretch *stretch)
{
    const struct model *model = making->model;
    const struct block *block = model_block(model, model_instruction(model, stretch->first)->block);
    return stretch->way == PROBE_BY_TRAP && stretch->refusal == PROBE_REFUSED_SMALL &&
           block->first_instruction == stretch->first && block->position > 1 &&
           !probe_targets_hit(&making->targets, block->address,
                              block->address + size_of(making, stretch->first));
}

static void find_candidates(struct ways *ways)
{
    struct making *making = ways->making;
    for (size_t i = 0; i < making->stretches.count; i++) {
        const struct stretch *stretch = ARRAY_AT(struct stretch, &making->stretches, i);
        if (stretch->way != PROBE_BY_TRAP)
            continue;
        windows_choose_program(making, stretch->first);
        if (!may_move(making, stretch))
            continue;
        struct candidate *candidate = array_add(&ways->candidates);
        candidate->row = stretch->first;
        candidate->block = model_instruction(making->model, stretch->first)->block;
        ways->numbers[candidate->block] = (uint32_t)ways->candidates.count;
    }
}

static void find_edges(struct ways *ways)
{
    const struct model *model = ways->making->model;
    const struct edge *edges = model->edges.data;
    for (uint32_t i = 0; i < model->edges.count; i++) {
        uint32_t number = ways->numbers[edges[i].target];
        if (!number)
            continue;
        struct candidate *candidate = ARRAY_AT(struct candidate, &ways->candidates, number - 1);
        if (candidate->count < MOST_WAYS)
            candidate->edges[candidate->count] = i;
        candidate->count += candidate->count <= MOST_WAYS;
    }
}

/* The same point on a way. */
static struct probe_point on_way(const struct model *model, const struct probe_point *point, uint32_t edge)
{
    const struct edge *row = model_edge(model, edge);
    const struct block *source = model_block(model, row->source);
    struct probe_point moved = *point;
    moved.instruction = source->first_instruction + source->instruction_count - 1;
    moved.where = row->kind == edge_kind_FALL ? PROBE_AFTER : PROBE_TAKEN;
    moved.order |= BEHIND;
    return moved;
}

static bool can_be_on_way(struct making *making, const struct probe_point *point, uint32_t edge)
{
    uint8_t kind = model_edge(making->model, edge)->kind;
    struct probe_point moved = on_way(making->model, point, edge);
    return point->where == PROBE_BEFORE && !point->is_entry &&
           (kind == edge_kind_FALL || kind == edge_kind_TAKEN) &&
           windows_refuse(making, &moved) == PROBE_NOT_REFUSED &&
           windows_have_room_at(making, moved.instruction);
}

/* Adds the points of a candidate to `moved`, once for each way. */
static void move_points(struct making *making, struct candidate *candidate, struct array *moved)
{
    const struct array *points = &making->windows->points;
    size_t first =
        array_first_not_below(points, 0, offsetof(struct probe_point, instruction), candidate->row);
    size_t end =
        array_first_not_below(points, first, offsetof(struct probe_point, instruction), candidate->row + 1);
    windows_choose_program(making, candidate->row);
    candidate->is_moved = candidate->count && candidate->count <= MOST_WAYS;
    for (size_t p = first; p < end; p++)
        for (uint32_t i = 0; i < candidate->count && candidate->is_moved; i++)
            candidate->is_moved =
                can_be_on_way(making, ARRAY_AT(struct probe_point, points, p), candidate->edges[i]);
    for (size_t p = first; p < end && candidate->is_moved; p++)
        for (uint32_t i = 0; i < candidate->count; i++)
            *(struct probe_point *)array_push(moved) =
                on_way(making->model, ARRAY_AT(struct probe_point, points, p), candidate->edges[i]);
}

/* The points that stay, and those that were moved, in order. */
static void join_points(const struct ways *ways, const struct array *moved)
{
    const struct model *model = ways->making->model;
    struct array *points = &ways->making->windows->points;
    struct probe_point *all = points->data;
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++) {
        uint32_t number = ways->numbers[model_instruction(model, all[i].instruction)->block];
        const struct candidate *candidate = number ? array_at(&ways->candidates, number - 1) : NULL;
        if (!candidate || !candidate->is_moved || candidate->row != all[i].instruction)
            all[kept++] = all[i];
    }
    points->count = kept;
    memcpy(array_push_many(points, moved->count), moved->data, moved->count * moved->width);
    windows_sort_points(points);
}

bool windows_use_ways(struct making *making)
{
    struct ways ways = {.making = making, .candidates = ARRAY_OF(struct candidate)};
    struct array moved = ARRAY_OF(struct probe_point);
    ways.numbers = memory_get(making->model->blocks.count * sizeof *ways.numbers);
    find_candidates(&ways);
    if (ways.candidates.count)
        find_edges(&ways);
    for (size_t i = 0; i < ways.candidates.count; i++)
        move_points(making, array_at(&ways.candidates, i), &moved);
    bool has_some = moved.count != 0;
    if (has_some)
        join_points(&ways, &moved);
    array_free(&moved);
    array_free(&ways.candidates);
    free(ways.numbers);
    return has_some;
}
