/* The depth-first order of a graph, without recursion, and the memory of the graph algorithms.

   A node's place on the stack is its parent's link (the tree's path is the stack), and a cursor for each node
   says which successor comes next, so the search needs no stack of its own. */
#include "code/structure/depth_first.h"

#include <string.h>

uint32_t *graph_scratch_words(struct graph_scratch *scratch, enum graph_buffer buffer, size_t words)
{
    if (!scratch->buffers.width) {
        scratch->buffers = ARRAY_OF(struct array);
        array_add_many(&scratch->buffers, GRAPH_BUFFERS);
        for (unsigned i = 0; i < GRAPH_BUFFERS; i++)
            *ARRAY_AT(struct array, &scratch->buffers, i) = ARRAY_OF(uint32_t);
    }
    struct array *array = ARRAY_AT(struct array, &scratch->buffers, buffer);
    if (words > array->count) {
        size_t capacity = words + words / 2 + 256;
        array_reserve(array, capacity);
        if (buffer == GRAPH_MARKS)
            memset((uint32_t *)array->data + array->count, 0, (capacity - array->count) * sizeof(uint32_t));
        array->count = capacity;
    }
    return array->data;
}

void graph_scratch_free(struct graph_scratch *scratch)
{
    for (size_t i = 0; i < scratch->buffers.count; i++)
        array_free(ARRAY_AT(struct array, &scratch->buffers, i));
    array_free(&scratch->buffers);
    scratch->buffers.width = 0;
}

static void number_nodes(const struct graph *graph, struct depth_first *order, uint32_t *cursor)
{
    memset(order->number, 0xff, graph->count * sizeof(uint32_t));
    order->number[0] = order->node[0] = order->parent[0] = 0;
    cursor[0] = graph->first[0];
    uint32_t seen = 1, at = 0;
    for (;;) {
        uint32_t node = order->node[at];
        uint32_t edge = cursor[at], end = graph->first[node + 1];
        while (edge < end && order->number[graph->targets[edge]] != NO_NODE)
            edge++;
        if (edge == end) {
            if (at == 0)
                break;
            at = order->parent[at];
            continue;
        }
        cursor[at] = edge + 1;
        uint32_t found = graph->targets[edge];
        order->number[found] = seen;
        order->node[seen] = found;
        order->parent[seen] = at;
        cursor[seen] = graph->first[found];
        at = seen++;
    }
    order->count = seen;
}

static void collect_predecessors(const struct graph *graph, struct depth_first *order)
{
    uint32_t *first = order->first_predecessor;
    memset(first, 0, (order->count + 1) * sizeof(uint32_t));
    for (uint32_t v = 0; v < order->count; v++) {
        uint32_t node = order->node[v];
        for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++)
            first[order->number[graph->targets[edge]]]++;
    }
    for (uint32_t v = 0, sum = 0; v <= order->count; v++) {
        sum += first[v];
        first[v] = sum;
    }
    /* Each first[] stands at its end now and moves to its start while the list is filled from after. */
    for (uint32_t v = order->count; v-- > 0;) {
        uint32_t node = order->node[v];
        for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++)
            order->predecessors[--first[order->number[graph->targets[edge]]]] = v;
    }
}

void depth_first_search(const struct graph *graph, struct graph_scratch *scratch, struct depth_first *order)
{
    size_t count = graph->count, edges = count ? graph->first[count] : 0;
    uint32_t *words = graph_scratch_words(scratch, GRAPH_ORDER, 5 * count + 1 + edges);
    *order = (struct depth_first){.number = words,
                                  .node = words + count,
                                  .parent = words + 2 * count,
                                  .first_predecessor = words + 4 * count,
                                  .predecessors = words + 5 * count + 1};
    if (count == 0)
        return;
    number_nodes(graph, order, words + 3 * count);
    collect_predecessors(graph, order);
}
