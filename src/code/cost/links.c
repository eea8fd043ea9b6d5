/* The graph of core/dependences.h has a node for each value that an instruction makes.  Here each instruction
   is one node, so links between the same two are merged. */
#include "code/cost/links.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const struct cost_link *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->distance < b->distance ? -1 : a->distance > b->distance;
}

static void merge(struct array *links)
{
    size_t kept = 0;
    if (links->count)
        qsort(links->data, links->count, links->width, compare);
    for (size_t i = 0; i < links->count; i++) {
        const struct cost_link *link = ARRAY_AT(struct cost_link, links, i);
        struct cost_link *last = kept ? ARRAY_AT(struct cost_link, links, kept - 1) : NULL;
        if (last && !compare(last, link)) {
            last->latency = link->latency > last->latency ? link->latency : last->latency;
            last->is_on_chain |= link->is_on_chain;
            last->is_memory &= link->is_memory;
        } else {
            *ARRAY_AT(struct cost_link, links, kept++) = *link;
        }
    }
    links->count = kept;
}

/* Whether the cycle goes from one node straight to another.  It is listed in one direction or the other. */
static bool is_step(const struct array *cycle, bool is_backward, uint32_t from, uint32_t to)
{
    const uint32_t *nodes = cycle->data;
    for (size_t i = 0; i < cycle->count; i++) {
        uint32_t here = nodes[i], next = nodes[(i + 1) % cycle->count];
        if (is_backward ? here == to && next == from : here == from && next == to)
            return true;
    }
    return false;
}

static size_t steps(const struct array *cycle, bool is_backward, const struct array *edges)
{
    size_t count = 0;
    for (size_t i = 0; i < edges->count; i++) {
        const struct ratio_edge *edge = ARRAY_AT(struct ratio_edge, edges, i);
        count += is_step(cycle, is_backward, edge->from, edge->to);
    }
    return count;
}

void cost_links_find(struct cost_links *links, struct block_costs *work)
{
    *links = (struct cost_links){.all = ARRAY_OF(struct cost_link)};
    if (work->is_bundled)
        return;
    struct cost_bound bound = {0};
    cost_latency(&work->block, &work->scratch, &bound);
    const struct cost_dependences *graph = &work->scratch.dependences;
    const struct array *cycle = &graph->ratio.cycle;
    links->cycles = bound.cycles;
    bool has_cycle = bound.cycles > 0 && cycle->count;
    bool is_backward = has_cycle && steps(cycle, true, &graph->edges) > steps(cycle, false, &graph->edges);
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct ratio_edge *edge = ARRAY_AT(struct ratio_edge, &graph->edges, i);
        *(struct cost_link *)array_push(&links->all) =
            (struct cost_link){.from = ARRAY_AT(struct dependence_node, &graph->nodes, edge->from)->item,
                               .to = ARRAY_AT(struct dependence_node, &graph->nodes, edge->to)->item,
                               .distance = edge->distance,
                               .latency = (double)edge->latency,
                               .is_memory = edge->way == way_MEMORY,
                               .is_on_chain = has_cycle && is_step(cycle, is_backward, edge->from, edge->to)};
    }
    merge(&links->all);
}

void cost_links_free(struct cost_links *links)
{
    array_free(&links->all);
}
