/* Dominators after Lengauer and Tarjan, the version with path compression: O(edges · log nodes) whatever the
   graph looks like (the popular simpler methods are quadratic on ladders that generated code does contain).

   In depth-first numbers, the semidominator of w is the smallest number from which a path leads to w through
   numbers above w only.  Nodes are visited from the last to the first; visited ones hang in a forest of
   ancestors, and label[v] is the node of smallest semidominator on v's way up to the root of its tree there.
   A node waits in the bucket of its semidominator until the tree around it is linked; then either the
   semidominator is the dominator, or some node above has the same dominator and a second pass copies it.

   Dominance intervals need no tree walk: a dominator has a smaller number than what it dominates, so sizes of
   subtrees add up in one pass downwards, and places are handed out in one pass upwards. */
#include "code/structure/depth_first.h"

struct lengauer_tarjan {
    uint32_t *ancestor; /* NO_NODE for the roots of the forest */
    uint32_t *label, *semi, *bucket, *next_in_bucket, *dominator, *stack;
};

static uint32_t smallest_above(struct lengauer_tarjan *state, uint32_t v)
{
    uint32_t *ancestor = state->ancestor, *label = state->label, *semi = state->semi;
    if (ancestor[v] == NO_NODE)
        return v;
    uint32_t depth = 0;
    for (uint32_t u = v; ancestor[ancestor[u]] != NO_NODE; u = ancestor[u])
        state->stack[depth++] = u;
    while (depth > 0) {
        uint32_t u = state->stack[--depth], above = ancestor[u];
        if (semi[label[above]] < semi[label[u]])
            label[u] = label[above];
        ancestor[u] = ancestor[above];
    }
    return label[v];
}

static void find_dominators(const struct depth_first *order, struct lengauer_tarjan *state)
{
    uint32_t *semi = state->semi, *dominator = state->dominator;
    for (uint32_t v = 0; v < order->count; v++) {
        state->ancestor[v] = state->bucket[v] = NO_NODE;
        state->label[v] = semi[v] = v;
    }
    for (uint32_t w = order->count; w-- > 1;) {
        for (uint32_t i = order->first_predecessor[w]; i < order->first_predecessor[w + 1]; i++) {
            uint32_t candidate = semi[smallest_above(state, order->predecessors[i])];
            if (candidate < semi[w])
                semi[w] = candidate;
        }
        state->next_in_bucket[w] = state->bucket[semi[w]];
        state->bucket[semi[w]] = w;
        uint32_t parent = order->parent[w];
        state->ancestor[w] = parent;
        for (uint32_t v = state->bucket[parent]; v != NO_NODE; v = state->next_in_bucket[v]) {
            uint32_t u = smallest_above(state, v);
            dominator[v] = semi[u] < semi[v] ? u : parent;
        }
        state->bucket[parent] = NO_NODE;
    }
    dominator[0] = 0;
    for (uint32_t w = 1; w < order->count; w++) {
        if (dominator[w] != semi[w])
            dominator[w] = dominator[dominator[w]];
    }
}

void graph_dominators(const struct graph *graph, struct graph_scratch *scratch, uint32_t *dominator,
                      uint32_t *enter, uint32_t *leave)
{
    struct depth_first order;
    depth_first_search(graph, scratch, &order);
    size_t count = graph->count;
    uint32_t *words = graph_scratch_words(scratch, GRAPH_WORK, 7 * count);
    struct lengauer_tarjan state = {.ancestor = words,
                                    .label = words + count,
                                    .semi = words + 2 * count,
                                    .bucket = words + 3 * count,
                                    .next_in_bucket = words + 4 * count,
                                    .dominator = words + 5 * count,
                                    .stack = words + 6 * count};
    for (uint32_t node = 0; node < count; node++) {
        dominator[node] = NO_NODE;
        enter[node] = leave[node] = 0;
    }
    if (count == 0)
        return;
    find_dominators(&order, &state);

    uint32_t *size = state.semi, *place = state.label;
    for (uint32_t v = 0; v < order.count; v++)
        size[v] = 1;
    for (uint32_t v = order.count; v-- > 1;)
        size[state.dominator[v]] += size[v];
    uint32_t *free_place = state.bucket;
    place[0] = 1;
    free_place[0] = 2;
    for (uint32_t v = 1; v < order.count; v++) {
        uint32_t above = state.dominator[v];
        place[v] = free_place[above];
        free_place[above] += size[v];
        free_place[v] = place[v] + 1;
        dominator[order.node[v]] = order.node[above];
    }
    for (uint32_t v = 0; v < order.count; v++) {
        enter[order.node[v]] = place[v];
        leave[order.node[v]] = place[v] + size[v] - 1;
    }
}
