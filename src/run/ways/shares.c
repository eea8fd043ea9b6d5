/* Which way a run went at each place where code parts.

   Counts of branches say it exactly.  Else samples do, roughly: a block that runs twice as often has twice as
   many samples for each of its instructions.  A block that is reached by one edge alone runs as often as that
   edge is taken; what is left of the times through the node goes along the edges to blocks that others reach,
   too, and into loops inside, whose samples say nothing of how often they are entered. */
#include "run/ways/region.h"

#include "run/probe/site/entry.h"

#include <math.h>
#include <stdlib.h>

static const double FEW = 5; /* samples of a block */
static const double USUALLY_ENTERED = 0.95;
static const double LEAST_LEFT =
    0.05; /* share of an edge whose frequency cannot be seen, where nothing is left */

/* ---- counts ---- */

static double counted_share(const struct model *model, const struct way_edge *edge)
{
    const struct block *block = model_block(model, edge->block);
    uint64_t count = 0, taken = 0;
    if (block->ends != block_end_BRANCH)
        return NAN;
    uint32_t branch = probe_last_instruction(block);
    for (uint32_t i = 0; i < model->probe_branches.count; i++) {
        const struct probe_branch *row = model_probe_branch(model, i);
        count += row->instruction == branch ? row->count : 0;
        taken += row->instruction == branch ? row->taken : 0;
    }
    if (!count)
        return NAN;
    return edge->is_taken ? (double)taken / (double)count : (double)(count - taken) / (double)count;
}

/* A node whose edges all were counted; those that lead out of the region are not among them. */
static bool take_counts(struct way_region *region, const struct way_node *node)
{
    double all = 0;
    for (uint32_t i = node->first; i < node->end; i++) {
        struct way_edge *edge = way_edge(region, i);
        edge->share = node->block ? counted_share(region->model, edge) : NAN;
        all += edge->share;
    }
    if (!(all > 0))
        return false;
    for (uint32_t i = node->first; i < node->end; i++)
        way_edge(region, i)->share /= all;
    return true;
}

/* ---- samples ---- */

/* Samples of an instruction; NaN for a loop inside. */
static double density(const struct way_node *node)
{
    return node->block ? node->samples / fmax(1, node->instruction_count) : NAN;
}

/* How often an edge was taken, in samples of an instruction; NaN: it cannot be seen. */
static double seen(const struct way_region *region, const struct way_edge *edge)
{
    const struct way_node *to = edge->to == WAY_END ? NULL : way_node(region, edge->to);
    return to && to->entered == 1 ? density(to) : NAN;
}

/* ---- loops inside ---- */

static const struct run_loop *row_of(const struct model *model, uint32_t loop)
{
    for (uint32_t i = 0; loop && i < model->run_loops.count; i++)
        if (model_run_loop(model, i)->loop == loop)
            return model_run_loop(model, i);
    return NULL;
}

/* The loop inside to which an edge leads without another choice, if it ran; NULL: none. */
static const struct run_loop *leads_into(const struct way_region *region, const struct way_edge *edge)
{
    uint32_t at = edge->to;
    for (uint32_t steps = 0; at != WAY_END && steps < region->nodes.count; steps++) {
        const struct way_node *node = way_node(region, at);
        if (node->loop)
            return row_of(region->model, node->loop);
        if (node->end - node->first != 1 || node->samples >= FEW)
            return NULL;
        at = way_edge(region, node->first)->to;
    }
    return NULL;
}

/* Whether a node asks whether a loop inside runs at all: the block before it is short, and its samples say little.
   How often it was entered is known if both were counted; else that is the rule. */
static bool take_guard(struct way_region *region, const struct way_node *node, bool *is_known)
{
    const struct run_loop *around = row_of(region->model, region->loop), *inside = NULL;
    uint32_t entering = 0, count = node->end - node->first;
    for (uint32_t i = node->first; i < node->end; i++) {
        const struct run_loop *row = leads_into(region, way_edge(region, i));
        if (row && inside)
            return false;
        entering = row ? i : entering;
        inside = row ? row : inside;
    }
    if (!inside || !node->block)
        return false;
    *is_known = around && around->iterations && inside->entries;
    double share =
        *is_known ? fmin(1, (double)inside->entries / (double)around->iterations) : USUALLY_ENTERED;
    for (uint32_t i = node->first; i < node->end; i++)
        way_edge(region, i)->share = i == entering ? share : (1 - share) / (count - 1);
    return true;
}

static void take_samples(struct way_region *region, const struct way_node *node)
{
    double known = 0, all = 0;
    unsigned unseen = 0;
    for (uint32_t i = node->first; i < node->end; i++) {
        double here = seen(region, way_edge(region, i));
        known += isnan(here) ? 0 : here;
        unseen += isnan(here);
    }
    double own = density(node);
    double left = fmax((own > 0 ? own : 0) - known, LEAST_LEFT * fmax(own > 0 ? own : 0, known));
    for (uint32_t i = node->first; i < node->end; i++) {
        struct way_edge *edge = way_edge(region, i);
        double here = seen(region, edge);
        edge->share = isnan(here) ? left / unseen : here;
        all += edge->share;
    }
    for (uint32_t i = node->first; i < node->end; i++) {
        struct way_edge *edge = way_edge(region, i);
        edge->share = all > 0 ? edge->share / all : 1.0 / (node->end - node->first);
    }
}

void way_shares_find(struct way_region *region, const double *samples)
{
    region->samples = 0;
    region->is_counted = true;
    for (uint32_t i = 0; i < region->nodes.count; i++) {
        struct way_node *node = way_node(region, i);
        node->samples = node->block && samples ? samples[node->block] : 0;
        region->samples += node->samples;
    }
    for (uint32_t i = 0; i < region->nodes.count; i++) {
        const struct way_node *node = way_node(region, i);
        if (node->end - node->first == 1)
            way_edge(region, node->first)->share = 1;
        else if (node->end > node->first && !take_counts(region, node)) {
            bool is_known = false;
            if (!take_guard(region, node, &is_known))
                take_samples(region, node);
            region->is_counted &= is_known;
        }
    }
}
