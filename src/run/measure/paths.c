/* See paths.h. */
#include "run/measure/paths.h"

#include "run/probe/site/entry.h"
#include "run/probe/site/loop_shape.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

struct counting {
    struct model *model;
    uint32_t run, first_probe_run, loop, header;
};

struct outcome {
    uint64_t count, taken;
};

static struct outcome outcome_of(const struct counting *counting, uint32_t instruction)
{
    struct outcome outcome = {0, 0};
    for (uint32_t i = 0; i < counting->model->probe_branches.count; i++) {
        const struct probe_branch *row = model_probe_branch(counting->model, i);
        if (row->run < counting->first_probe_run || row->instruction != instruction)
            continue;
        outcome.count += row->count;
        outcome.taken += row->taken;
    }
    return outcome;
}

/* Share of the times through a block that an edge was taken; NaN: unknown. */
static double share_of(const struct counting *counting, const struct edge *edge)
{
    const struct block *source = model_block(counting->model, edge->source);
    struct model_rows edges = probe_edges_from(counting->model, edge->source);
    if (edges.end - edges.first == 1)
        return 1;
    if (source->ends != block_end_BRANCH)
        return NAN;
    struct outcome outcome = outcome_of(counting, probe_last_instruction(source));
    double taken = outcome.count ? (double)outcome.taken / (double)outcome.count : 0;
    return edge->kind == edge_kind_TAKEN || edge->kind == edge_kind_TAIL_CALL ? taken : 1 - taken;
}

/* Of all edges from a block to another one; to 0: out of the loop. */
static double share_between(const struct counting *counting, uint32_t from, uint32_t to)
{
    struct model_rows edges = probe_edges_from(counting->model, from);
    double share = 0;
    for (uint32_t i = edges.first; i < edges.end; i++) {
        const struct edge *edge = model_edge(counting->model, i);
        bool is_meant =
            to ? edge->target == to : !probe_loop_has(counting->model, counting->loop, edge->target);
        if (is_meant)
            share += share_of(counting, edge);
    }
    return share;
}

/* Times through the header; 0: unknown. */
static uint64_t times_through(const struct counting *counting)
{
    const struct model *model = counting->model;
    uint32_t block = counting->header;
    for (uint32_t steps = 0; steps < model_loop(model, counting->loop)->block_count; steps++) {
        const struct block *row = model_block(model, block);
        struct model_rows edges = probe_edges_from(model, block);
        if (row->ends == block_end_BRANCH)
            return outcome_of(counting, probe_last_instruction(row)).count;
        if (edges.end - edges.first != 1)
            return 0;
        block = model_edge(model, edges.first)->target;
    }
    return 0;
}

static double share_of_path(const struct counting *counting, const struct path *path)
{
    const struct model *model = counting->model;
    const struct array *table = &model->path_blocks;
    double share = 1;
    uint32_t last = 0;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct path_block, loop), path->loop);
         i < table->count; i++) {
        const struct path_block *row = model_path_block(model, (uint32_t)i);
        if (row->loop != path->loop || row->path > path->position)
            break;
        if (row->path != path->position)
            continue;
        if (last)
            share *= share_between(counting, last, row->block);
        last = row->block;
    }
    return last ? share * share_between(counting, last, path->is_exit ? 0 : counting->header) : NAN;
}

void measure_paths(struct model *model, uint32_t run, uint32_t first_probe_run, uint32_t loop)
{
    struct counting counting = {.model = model,
                                .run = run,
                                .first_probe_run = first_probe_run,
                                .loop = loop,
                                .header = model_loop(model, loop)->header};
    uint64_t times = times_through(&counting);
    const struct array *table = &model->paths;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct path, loop), loop);
         times && i < table->count && model_path(model, (uint32_t)i)->loop == loop; i++) {
        double share = share_of_path(&counting, model_path(model, (uint32_t)i));
        if (isnan(share))
            continue;
        *(struct run_path *)model_add(&model->run_paths) =
            (struct run_path){.run = run,
                              .loop = loop,
                              .path = model_path(model, (uint32_t)i)->position,
                              .count = (uint64_t)llround(share * (double)times),
                              .share = share};
    }
}
