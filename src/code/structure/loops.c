/* The loop nest after Havlak, with Ramalingam's correction.

   A loop is a maximal set of nodes that reach each other; its header is the node that the depth-first search
   saw first; the loops inside it are those of the same set without the header.  Nodes are visited from the
   last depth-first number to the first.  At x, every inner loop has already been collapsed into its header
   (a union-find forest says into which), so the body of x's loop is what reaches x's back edges going
   backwards, without passing x.

   The correction: an edge that is neither of the tree nor a back edge (it goes forward or across) matters
   only to loops whose header is above both of its ends.  It waits at the lowest node above both, and only
   when that node is visited it becomes an edge between what its ends have collapsed into by then.  That keeps
   the work nearly linear where Havlak's own version is quadratic, and finds the same loops.

   Such an edge y -> z, when it becomes due, enters every collapsed loop around z from outside; those that z
   is not the header of are irreducible.  They form a chain in the nest, from the innermost around z up to the
   one that z has collapsed into.  Only the ends of the chain are noted, and a pass over the nest from the
   inside to the outside marks what is between. */
#include "code/structure/depth_first.h"

#include <string.h>

struct nest {
    const struct depth_first *order;
    uint32_t *collapsed; /* union-find: what a number has collapsed into, towards the header */
    uint32_t *linked;    /* union-find: towards the nearest node above that is not yet visited */
    uint32_t *around;    /* header of the innermost loop around a number, itself not counted; or NO_NODE */
    uint32_t *last;      /* largest number below it in the tree */
    uint32_t *waiting;   /* list of edges that become due at this number */
    uint32_t *entering;  /* list of edges into this number from others than its tree parent */
    uint32_t *reached;   /* the last x whose body it was put into, plus one */
    uint32_t *body;      /* the work list, which ends up as the body */
    uint32_t
        *entered_to; /* of a loop: smallest header up to which it is entered past the headers; or NO_NODE */
    uint32_t *is_header;
    uint32_t *next_edge, *edge_target; /* by the edge's place among all predecessors */
};

static uint32_t find(uint32_t *above, uint32_t v)
{
    uint32_t root = v;
    while (above[root] != root)
        root = above[root];
    while (above[v] != root) {
        uint32_t next = above[v];
        above[v] = root;
        v = next;
    }
    return root;
}

/* Edges that wait at x become edges between collapsed nodes. */
static void release_edges(struct nest *nest, uint32_t x)
{
    for (uint32_t edge = nest->waiting[x], next; edge != NO_NODE; edge = next) {
        next = nest->next_edge[edge];
        uint32_t z = nest->edge_target[edge], outermost = find(nest->collapsed, z);
        nest->next_edge[edge] = nest->entering[outermost];
        nest->entering[outermost] = edge;
        uint32_t innermost = nest->around[z];
        if (outermost != z && outermost < nest->entered_to[innermost])
            nest->entered_to[innermost] = outermost;
    }
}

static void reach(struct nest *nest, uint32_t x, uint32_t from, uint32_t *size)
{
    uint32_t v = find(nest->collapsed, from);
    if (v != x && nest->reached[v] != x + 1) {
        nest->reached[v] = x + 1;
        nest->body[(*size)++] = v;
    }
}

static void find_loop(struct nest *nest, uint32_t x)
{
    const struct depth_first *order = nest->order;
    uint32_t size = 0;
    for (uint32_t i = order->first_predecessor[x]; i < order->first_predecessor[x + 1]; i++) {
        uint32_t y = order->predecessors[i];
        if (y >= x && y <= nest->last[x]) {
            nest->is_header[x] = 1;
            reach(nest, x, y, &size);
        } else if (y != order->parent[x]) {
            /* From a smaller number it can only come down the tree: the search leaves no other such edge. */
            uint32_t meeting = y < x ? y : find(nest->linked, y);
            nest->edge_target[i] = x;
            nest->next_edge[i] = nest->waiting[meeting];
            nest->waiting[meeting] = i;
        }
    }
    for (uint32_t done = 0; done < size; done++) {
        uint32_t y = nest->body[done];
        reach(nest, x, order->parent[y], &size);
        for (uint32_t edge = nest->entering[y]; edge != NO_NODE; edge = nest->next_edge[edge])
            reach(nest, x, order->predecessors[edge], &size);
    }
    for (uint32_t i = 0; i < size; i++) {
        nest->collapsed[nest->body[i]] = x;
        nest->around[nest->body[i]] = x;
    }
    nest->linked[x] = order->parent[x];
}

static void prepare(struct nest *nest, const struct depth_first *order, struct graph_scratch *scratch)
{
    size_t count = order->count, edges = order->first_predecessor[count];
    uint32_t *words = graph_scratch_words(scratch, GRAPH_WORK, 10 * count + 2 * edges);
    *nest = (struct nest){.order = order,
                          .collapsed = words,
                          .linked = words + count,
                          .around = words + 2 * count,
                          .last = words + 3 * count,
                          .waiting = words + 4 * count,
                          .entering = words + 5 * count,
                          .reached = words + 6 * count,
                          .body = words + 7 * count,
                          .entered_to = words + 8 * count,
                          .is_header = words + 9 * count,
                          .next_edge = words + 10 * count,
                          .edge_target = words + 10 * count + edges};
    for (uint32_t v = 0; v < count; v++) {
        nest->collapsed[v] = nest->linked[v] = nest->last[v] = v;
        nest->around[v] = nest->waiting[v] = nest->entering[v] = nest->entered_to[v] = NO_NODE;
        nest->reached[v] = nest->is_header[v] = 0;
    }
    for (uint32_t v = order->count; v-- > 1;) {
        uint32_t parent = order->parent[v];
        if (nest->last[v] > nest->last[parent])
            nest->last[parent] = nest->last[v];
    }
}

static bool has_back_edge(const struct nest *nest)
{
    const struct depth_first *order = nest->order;
    for (uint32_t v = 0; v < order->count; v++) {
        for (uint32_t i = order->first_predecessor[v]; i < order->first_predecessor[v + 1]; i++) {
            if (order->predecessors[i] >= v && order->predecessors[i] <= nest->last[v])
                return true;
        }
    }
    return false;
}

/* The numbers of headers in the order of the result: the nest walked from the outside to the inside, the
   loops of one parent in order of their header nodes. */
static uint32_t sort_headers(struct nest *nest, const struct graph *graph, uint32_t *sorted)
{
    const struct depth_first *order = nest->order;
    uint32_t *first_child = nest->waiting, *next_sibling = nest->entering, outermost = NO_NODE, size = 0;
    memset(first_child, 0xff, order->count * sizeof(uint32_t));
    for (uint32_t node = graph->count; node-- > 0;) {
        uint32_t v = order->number[node];
        if (v == NO_NODE || !nest->is_header[v])
            continue;
        uint32_t *list = nest->around[v] == NO_NODE ? &outermost : &first_child[nest->around[v]];
        next_sibling[v] = *list;
        *list = v;
    }
    for (uint32_t v = outermost; v != NO_NODE;) {
        sorted[size++] = v;
        if (first_child[v] != NO_NODE) {
            v = first_child[v];
            continue;
        }
        while (v != NO_NODE && next_sibling[v] == NO_NODE)
            v = nest->around[v];
        if (v != NO_NODE)
            v = next_sibling[v];
    }
    return size;
}

/* What enters a loop past its header enters those around it as well, up to the one noted. */
static void spread_entries(struct nest *nest)
{
    for (uint32_t header = nest->order->count; header-- > 0;) {
        uint32_t outer = nest->around[header], to = nest->entered_to[header];
        if (nest->is_header[header] && outer != NO_NODE && to <= outer && to < nest->entered_to[outer])
            nest->entered_to[outer] = to;
    }
}

void graph_loops(const struct graph *graph, struct graph_scratch *scratch, struct array *loops,
                 uint32_t *innermost)
{
    if (graph->count == 0)
        return;
    memset(innermost, 0xff, graph->count * sizeof(uint32_t));
    struct depth_first order;
    depth_first_search(graph, scratch, &order);
    struct nest nest;
    prepare(&nest, &order, scratch);
    if (!has_back_edge(&nest))
        return;
    for (uint32_t x = order.count; x-- > 0;) {
        release_edges(&nest, x);
        find_loop(&nest, x);
    }
    spread_entries(&nest);

    uint32_t *sorted = nest.body, *loop_of = nest.reached;
    uint32_t size = sort_headers(&nest, graph, sorted);
    struct graph_loop *added = array_add_many(loops, size), *all = loops->data;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t header = sorted[i], outer = nest.around[header];
        loop_of[header] = (uint32_t)(added - all) + i;
        added[i] = (struct graph_loop){.header = order.node[header],
                                       .parent = outer == NO_NODE ? NO_NODE : loop_of[outer],
                                       .depth = 1,
                                       .is_irreducible = nest.entered_to[header] <= header,
                                       .is_innermost = true};
        if (outer != NO_NODE) {
            added[i].depth = all[loop_of[outer]].depth + 1;
            all[loop_of[outer]].is_innermost = false;
        }
    }
    for (uint32_t v = 0; v < order.count; v++) {
        uint32_t header = nest.is_header[v] ? v : nest.around[v];
        if (header != NO_NODE)
            innermost[order.node[v]] = loop_of[header];
    }
}
