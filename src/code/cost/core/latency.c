/* Latency: however wide the core is, an iteration that uses a result of the one before waits for it. The
   bound is the largest ratio, over the cycles of the dependence graph, of the latencies along the cycle to
   the iterations that it crosses (dependences.c makes the graph, cycle_ratio.c finds the cycle).

   Independent iterations have no cycle in the graph, so no bound from latency. Two multiply units with a
   latency of 5 cycles need ten independent streams to be kept busy. */
#include "code/cost/core/core.h"

#include <string.h>

void cost_latency(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    cost_find_dependences(block, scratch);
    struct cost_dependences *graph = &scratch->dependences;
    struct array *edges = &graph->carried;
    edges->width = sizeof(struct ratio_edge);
    edges->count = 0;
    if (graph->edges.count)
        memcpy(array_push_many(edges, graph->edges.count), graph->edges.data,
               graph->edges.count * sizeof(struct ratio_edge));
    bound->cycles =
        cost_cycle_ratio(&graph->ratio, edges->data, (uint32_t)edges->count, (uint32_t)graph->nodes.count);
    const uint32_t *cycle = graph->ratio.cycle.data;
    for (size_t i = 0; bound->marks && bound->cycles > 0 && i < graph->ratio.cycle.count; i++)
        bound->marks[ARRAY_AT(struct dependence_node, &graph->nodes, cycle[i])->item] = 1;
}

void cost_scratch_end(struct cost_scratch *scratch)
{
    arena_free(&scratch->arena);
    cost_addresses_free(&scratch->addresses);
    cost_addresses_free(&scratch->entry);
    cost_dependences_free(&scratch->dependences);
    *scratch = (struct cost_scratch){0};
}
