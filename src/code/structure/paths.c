/* Acyclic paths through an innermost loop, counted and listed.

   The paths of a loop are those of an acyclic graph: the loop's nodes, without the edges to the header and
   without the other back edges of an irreducible loop.  Every node's number of paths to an end is the sum
   over its successors, so one depth-first search counts them all, however many there are: those that come
   back to the header, and those that leave.  The listing follows only successors with a path, so each step
   belongs to a reported path, and the time is at most the limit times the length of a path.  If there are
   more than the limit, paths that come back are listed first: they are the iterations of the loop.

   Both touch only the loop's nodes, not the whole graph, so that a function with thousands of loops costs no
   more than its size: nodes are found through marks that are cleared again one by one. */
#include "code/structure/depth_first.h"

enum way { way_BACK, way_OUT, way_COUNT };

struct ways {
    const struct graph *graph;
    const uint32_t *innermost;
    uint32_t loop, header;
    uint32_t size;       /* places used: nodes of the loop in the order in which they are first seen */
    uint64_t *count;     /* paths from a place to an end: 2 of a place, by enum way */
    uint32_t *node;      /* of a place */
    uint32_t *first;     /* its distinct successors are successor[first[place]] … */
    uint32_t *successor; /* nodes; NO_NODE where the edge was left out */
    uint32_t *cursor, *stack;
    uint32_t *is_open; /* the place is on the stack of the search */
    uint32_t *place;   /* of a node, plus one; a mark */
    uint32_t *seen;    /* by which place, plus one, a node was last noted as successor; a mark */
};

static uint64_t add_counts(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static bool is_end(const struct ways *ways, uint32_t node)
{
    return node == ways->header || ways->innermost[node] != ways->loop;
}

static enum way way_of(const struct ways *ways, uint32_t end)
{
    return end == ways->header ? way_BACK : way_OUT;
}

static uint64_t all_ways(const struct ways *ways, uint32_t place)
{
    return add_counts(ways->count[way_COUNT * place + way_BACK], ways->count[way_COUNT * place + way_OUT]);
}

static uint32_t add_place(struct ways *ways, uint32_t node)
{
    const struct graph *graph = ways->graph;
    uint32_t place = ways->size++, used = ways->first[place];
    ways->node[place] = node;
    ways->place[node] = place + 1;
    ways->count[way_COUNT * place + way_BACK] = 0;
    ways->count[way_COUNT * place + way_OUT] = graph->first[node] == graph->first[node + 1];
    ways->cursor[place] = used;
    ways->is_open[place] = 1;
    for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
        uint32_t target = graph->targets[edge];
        if (ways->seen[target] != place + 1) {
            ways->seen[target] = place + 1;
            ways->successor[used++] = target;
        }
    }
    ways->first[place + 1] = used;
    return place;
}

static void count_ways(struct ways *ways)
{
    uint32_t depth = 0;
    ways->stack[depth++] = add_place(ways, ways->header);
    while (depth > 0) {
        uint32_t at = ways->stack[depth - 1];
        if (ways->cursor[at] == ways->first[at + 1]) {
            ways->is_open[at] = 0;
            depth--;
            continue;
        }
        uint32_t *successor = &ways->successor[ways->cursor[at]];
        uint64_t *count = &ways->count[way_COUNT * at];
        if (is_end(ways, *successor)) {
            enum way way = way_of(ways, *successor);
            count[way] = add_counts(count[way], 1);
        } else if (!ways->place[*successor]) {
            ways->stack[depth++] = add_place(ways, *successor);
            continue; /* and come back to the same successor when it is counted */
        } else if (ways->is_open[ways->place[*successor] - 1]) {
            *successor = NO_NODE;
        } else {
            const uint64_t *behind = &ways->count[way_COUNT * (ways->place[*successor] - 1)];
            for (unsigned way = 0; way < way_COUNT; way++)
                count[way] = add_counts(count[way], behind[way]);
        }
        ways->cursor[at]++;
    }
}

static void find_ways(struct ways *ways, struct graph_scratch *scratch)
{
    size_t count = ways->graph->count, edges = ways->graph->first[count];
    uint32_t *words = graph_scratch_words(scratch, GRAPH_WORK, 9 * count + 1 + edges);
    ways->count = (uint64_t *)words;
    ways->node = words + 4 * count;
    ways->cursor = words + 5 * count;
    ways->stack = words + 6 * count;
    ways->is_open = words + 7 * count;
    ways->first = words + 8 * count;
    ways->successor = words + 9 * count + 1;
    ways->place = graph_scratch_words(scratch, GRAPH_MARKS, 2 * count);
    ways->seen = ways->place + count;
    ways->first[0] = 0;
    count_ways(ways);
}

static void clear_marks(struct ways *ways)
{
    for (uint32_t place = 0; place < ways->size; place++) {
        uint32_t node = ways->node[place];
        ways->place[node] = 0;
        for (uint32_t edge = ways->graph->first[node]; edge < ways->graph->first[node + 1]; edge++)
            ways->seen[ways->graph->targets[edge]] = 0;
    }
}

uint64_t graph_count_paths(const struct graph *graph, struct graph_scratch *scratch,
                           const uint32_t *innermost, uint32_t loop, uint32_t header)
{
    struct ways ways = {.graph = graph, .innermost = innermost, .loop = loop, .header = header};
    find_ways(&ways, scratch);
    clear_marks(&ways);
    return all_ways(&ways, 0);
}

/* Lists at most limit paths that end in one of the ways wanted (bits). */
static uint32_t list_ways(struct ways *ways, unsigned wanted, uint32_t limit, path_function *found,
                          void *context)
{
    uint32_t *nodes = ways->stack, *place = ways->place, length = 0, listed = 0;
    bool has[way_COUNT] = {wanted >> way_BACK & 1, wanted >> way_OUT & 1};
    for (uint32_t i = 0; i < ways->size; i++)
        ways->cursor[i] = ways->first[i];
    nodes[length++] = ways->header;
    while (length > 0 && listed < limit) {
        uint32_t at = place[nodes[length - 1]] - 1;
        if (ways->first[at] == ways->first[at + 1] && has[way_OUT]) { /* no successors */
            found(context, nodes, length, true);
            listed++;
        }
        if (ways->cursor[at] == ways->first[at + 1]) {
            ways->cursor[at] = ways->first[at];
            length--;
            continue;
        }
        uint32_t successor = ways->successor[ways->cursor[at]++];
        if (successor == NO_NODE)
            continue;
        if (is_end(ways, successor)) {
            enum way way = way_of(ways, successor);
            if (!has[way])
                continue;
            found(context, nodes, length, way == way_OUT);
            listed++;
            continue;
        }
        const uint64_t *behind = &ways->count[way_COUNT * (place[successor] - 1)];
        if ((has[way_BACK] && behind[way_BACK]) || (has[way_OUT] && behind[way_OUT]))
            nodes[length++] = successor;
    }
    return listed;
}

uint32_t graph_list_paths(const struct graph *graph, struct graph_scratch *scratch, const uint32_t *innermost,
                          uint32_t loop, uint32_t header, uint32_t limit, path_function *found, void *context)
{
    struct ways ways = {.graph = graph, .innermost = innermost, .loop = loop, .header = header};
    find_ways(&ways, scratch);
    uint32_t listed = 0;
    if (all_ways(&ways, 0) > limit) {
        listed = list_ways(&ways, 1U << way_BACK, limit, found, context);
        listed += list_ways(&ways, 1U << way_OUT, limit - listed, found, context);
    } else {
        listed = list_ways(&ways, 1U << way_BACK | 1U << way_OUT, limit, found, context);
    }
    clear_marks(&ways);
    return listed;
}
