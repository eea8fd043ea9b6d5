/* Newton's method for the largest ratio of latency to distance over the cycles of a graph.

   For a guess λ, each edge gets the weight latency - λ × distance. A cycle of positive weight has a ratio
   above λ, which becomes the next guess; if there is none, λ is the answer. Positive cycles are found as in
   Bellman-Ford: levels of nodes rise along edges, each node remembers the edge that raised it last, and a
   cycle of remembered edges is positive (Dasdan compares this and relatives such as Howard's method). Each
   guess is the ratio of a cycle and larger than the one before, so the answer is exact.

   Edges that cross no iteration go upwards, so a pass in that order carries a level through a whole
   iteration, and few passes are enough. Nodes that cannot be on a cycle are dropped first: in most blocks
   hardly any node remains. */
#include "code/cost/core/cycle_ratio.h"

enum { NO_EDGE = UINT32_MAX, MOST_PASSES = 4096 };

/* Levels within this of each other are the same: latencies are measured to hundredths. */
static const double least_rise = 1e-6;

struct graph {
    struct ratio_edge *edges;
    uint32_t edge_count, node_count;
    uint32_t *ins, *outs; /* degrees */
    uint32_t *raised_by, *seen;
    double *levels;
};

/* Drops edges whose start has no incoming or whose end has no outgoing edge; returns whether there were any.
 */
static bool drop_dead_ends(struct graph *graph)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct ratio_edge edge = graph->edges[i];
        if (graph->ins[edge.from] && graph->outs[edge.to]) {
            graph->edges[kept++] = edge;
        } else {
            graph->ins[edge.to]--;
            graph->outs[edge.from]--;
        }
    }
    bool is_changed = kept != graph->edge_count;
    graph->edge_count = kept;
    /* The other way round next time: chains of dead ends go quickly in both directions. */
    for (uint32_t i = 0; i < kept / 2; i++) {
        struct ratio_edge edge = graph->edges[i];
        graph->edges[i] = graph->edges[kept - 1 - i];
        graph->edges[kept - 1 - i] = edge;
    }
    return is_changed;
}

static void trim(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        graph->ins[graph->edges[i].to]++;
        graph->outs[graph->edges[i].from]++;
    }
    unsigned passes = 0;
    bool is_changed = true;
    /* An even number of passes leaves the edges in their order. */
    while (graph->edge_count && passes < MOST_PASSES && (is_changed || passes % 2)) {
        is_changed = drop_dead_ends(graph);
        passes++;
    }
}

/* A node on a cycle of remembered edges, or NO_EDGE. */
static uint32_t find_cycle(struct graph *graph)
{
    /* seen: 0 if not visited, else the number of the walk that visited it, from 1. */
    for (uint32_t i = 0; i < graph->edge_count; i++)
        graph->seen[graph->edges[i].to] = graph->seen[graph->edges[i].from] = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        uint32_t node = graph->edges[i].to;
        if (graph->seen[node])
            continue;
        while (!graph->seen[node] && graph->raised_by[node] != NO_EDGE) {
            graph->seen[node] = i + 1;
            node = graph->edges[graph->raised_by[node]].from;
        }
        if (graph->seen[node] == i + 1)
            return node;
        if (!graph->seen[node])
            graph->seen[node] = i + 1;
    }
    return NO_EDGE;
}

static double ratio_of(const struct graph *graph, uint32_t start, struct array *cycle)
{
    double latency = 0, distance = 0;
    uint32_t node = start;
    cycle->count = 0;
    do {
        const struct ratio_edge *edge = &graph->edges[graph->raised_by[node]];
        *(uint32_t *)array_push(cycle) = node;
        latency += (double)edge->latency;
        distance += edge->distance;
        node = edge->from;
    } while (node != start);
    return distance > 0 ? latency / distance : 0;
}

static void forget(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        uint32_t from = graph->edges[i].from, to = graph->edges[i].to;
        graph->levels[from] = graph->levels[to] = 0;
        graph->raised_by[from] = graph->raised_by[to] = NO_EDGE;
    }
}

static bool raise_levels(struct graph *graph, double ratio)
{
    bool rises = false;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const struct ratio_edge *edge = &graph->edges[i];
        double level = graph->levels[edge->from] + (double)edge->latency - ratio * edge->distance;
        if (level > graph->levels[edge->to] + least_rise) {
            graph->levels[edge->to] = level;
            graph->raised_by[edge->to] = i;
            rises = true;
        }
    }
    return rises;
}

double cost_cycle_ratio(struct ratio_work *work, struct ratio_edge *edges, uint32_t edge_count,
                        uint32_t node_count)
{
    work->numbers.width = work->cycle.width = sizeof(uint32_t);
    work->levels.width = sizeof(double);
    work->numbers.count = work->levels.count = work->cycle.count = 0;
    if (!edge_count)
        return 0;
    uint32_t *numbers = array_add_many(&work->numbers, (size_t)node_count * 4);
    struct graph graph = {.edges = edges,
                          .edge_count = edge_count,
                          .node_count = node_count,
                          .ins = numbers,
                          .outs = numbers + node_count,
                          .raised_by = numbers + (size_t)2 * node_count,
                          .seen = numbers + (size_t)3 * node_count,
                          .levels = array_push_many(&work->levels, node_count)};
    trim(&graph);
    double ratio = 0;
    forget(&graph);
    for (unsigned pass = 0; pass < MOST_PASSES && raise_levels(&graph, ratio); pass++) {
        uint32_t node = find_cycle(&graph);
        if (node == NO_EDGE)
            continue;
        double next = ratio_of(&graph, node, &work->cycle);
        if (next <= ratio)
            break;
        ratio = next;
        forget(&graph);
    }
    return ratio;
}

void cost_ratio_free(struct ratio_work *work)
{
    array_free(&work->numbers);
    array_free(&work->levels);
    array_free(&work->cycle);
}
