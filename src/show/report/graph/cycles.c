/* Strongly connected components, by Tarjan's algorithm without recursion. */
#include "show/report/graph/graph.h"

#include <stdlib.h>

struct search {
    uint32_t *starts, *targets; /* edges by source */
    uint32_t *numbers, *lowest; /* by node, from 1; 0: not seen */
    uint32_t *path, *open;      /* nodes on the way; nodes whose component is not known yet */
    uint32_t *next;             /* edge of each node on the way */
    bool *is_open;
    uint32_t count, path_count, open_count;
};

static void index_edges(struct search *search, const struct graph *graph)
{
    for (size_t i = 0; i < graph->edges.count; i++)
        search->starts[graph_edge(graph, i)->from + 2]++;
    for (size_t i = 2; i < graph->nodes.count + 2; i++)
        search->starts[i] += search->starts[i - 1];
    for (size_t i = 0; i < graph->edges.count; i++)
        search->targets[search->starts[graph_edge(graph, i)->from + 1]++] = graph_edge(graph, i)->to;
}

static void visit(struct search *search, uint32_t node)
{
    search->numbers[node] = search->lowest[node] = ++search->count;
    search->path[search->path_count++] = node;
    search->open[search->open_count++] = node;
    search->is_open[node] = true;
    search->next[node] = search->starts[node];
}

/* The component whose first node this is becomes a frame, if it is more than that node. */
static void close(struct search *search, struct graph *graph, uint32_t node)
{
    uint32_t first = search->open_count;
    while (search->open[--first] != node)
        ;
    uint32_t size = search->open_count - first;
    if (size > 1) {
        int32_t frame = (int32_t)graph->frames.count;
        graph_add_frame(graph, 0)->depth = 1;
        graph_frame(graph, (size_t)frame)->title =
            graph_text(graph, "%u functions that call each other", size);
        for (uint32_t i = first; i < search->open_count; i++)
            graph_node(graph, search->open[i])->frame = frame;
    }
    for (uint32_t i = first; i < search->open_count; i++)
        search->is_open[search->open[i]] = false;
    search->open_count = first;
}

static void search_from(struct search *search, struct graph *graph, uint32_t root)
{
    visit(search, root);
    while (search->path_count) {
        uint32_t node = search->path[search->path_count - 1];
        if (search->next[node] < search->starts[node + 1]) {
            uint32_t target = search->targets[search->next[node]++];
            if (!search->numbers[target])
                visit(search, target);
            else if (search->is_open[target] && search->numbers[target] < search->lowest[node])
                search->lowest[node] = search->numbers[target];
            continue;
        }
        if (search->lowest[node] == search->numbers[node])
            close(search, graph, node);
        search->path_count--;
        uint32_t before = search->path_count ? search->path[search->path_count - 1] : node;
        if (search->lowest[node] < search->lowest[before])
            search->lowest[before] = search->lowest[node];
    }
}

void graph_group_cycles(struct graph *graph)
{
    size_t count = graph->nodes.count;
    struct search search = {.starts = memory_get((count + 2) * sizeof *search.starts),
                            .targets = memory_get((graph->edges.count + 1) * sizeof *search.targets),
                            .numbers = memory_get((count + 1) * sizeof *search.numbers),
                            .lowest = memory_get((count + 1) * sizeof *search.lowest),
                            .path = memory_get((count + 1) * sizeof *search.path),
                            .open = memory_get((count + 1) * sizeof *search.open),
                            .next = memory_get((count + 1) * sizeof *search.next),
                            .is_open = memory_get(count + 1)};
    index_edges(&search, graph);
    for (uint32_t i = 0; i < count; i++)
        if (!search.numbers[i])
            search_from(&search, graph, i);
    free(search.starts);
    free(search.targets);
    free(search.numbers);
    free(search.lowest);
    free(search.path);
    free(search.open);
    free(search.next);
    free(search.is_open);
}
