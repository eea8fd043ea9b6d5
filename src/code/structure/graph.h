/* Graph algorithms that know nothing of programs: nodes are 0 … count-1, node 0 is the entry.
   All are iterative (no recursion: functions with 100,000 blocks exist) and linear or nearly so. */
#ifndef CODE_STRUCTURE_GRAPH_H
#define CODE_STRUCTURE_GRAPH_H
#include "base/memory.h"
#include <stdbool.h>

#define NO_NODE UINT32_MAX

/* Successors of node n are targets[first[n]] … targets[first[n+1]-1].  Parallel edges are allowed. */
struct graph {
    uint32_t count;
    uint32_t *first; /* count + 1 entries */
    uint32_t *targets;
};

/* Memory that the algorithms reuse from one graph to the next; one for each thread.  Zero-initialise. */
struct graph_scratch {
    struct array buffers; /* private */
};
void graph_scratch_free(struct graph_scratch *scratch);

/* Immediate dominators and the dominance intervals: a dominates b exactly when
   enter[a] <= enter[b] && leave[b] <= leave[a].  Each array has graph->count entries.
   Unreachable nodes get dominator NO_NODE and enter = leave = 0; reachable ones enter >= 1.
   The entry's dominator is NO_NODE. */
void graph_dominators(const struct graph *graph, struct graph_scratch *scratch, uint32_t *dominator,
                      uint32_t *enter, uint32_t *leave);

/* The loop nest after Havlak (with Ramalingam's correction that keeps it nearly linear), irreducible loops
   included.  Only reachable nodes take part. */
struct graph_loop {
    uint32_t header;
    uint32_t parent;     /* index of the loop around it, or NO_NODE; always smaller than its own index */
    uint32_t depth;      /* from 1 */
    bool is_irreducible; /* entered at a node other than its header as well */
    bool is_innermost;
};
/* Appends struct graph_loop to loops, outer loops before inner ones, siblings in order of header;
   innermost[n] becomes the index of the innermost loop that holds node n, or NO_NODE. */
void graph_loops(const struct graph *graph, struct graph_scratch *scratch, struct array *loops,
                 uint32_t *innermost);

/* Acyclic paths through an innermost loop: they start at the header, stay among the nodes with
   innermost[n] == loop, never visit a node twice, and end with an edge to the header or to a node outside
   (or at a node without successors).  Different exit edges of one node make different paths; parallel edges
   count once. In a reducible loop the count is exact and saturates at INT64_MAX; in an irreducible one, back
   edges of a depth-first search from the header are left out. */
uint64_t graph_count_paths(const struct graph *graph, struct graph_scratch *scratch,
                           const uint32_t *innermost, uint32_t loop, uint32_t header);
/* Calls found for up to limit paths, in depth-first order by successor order; if there are more than limit,
   those that come back to the header come first.  Returns how many. */
typedef void path_function(void *context, const uint32_t *nodes, uint32_t length, bool is_exit);
uint32_t graph_list_paths(const struct graph *graph, struct graph_scratch *scratch, const uint32_t *innermost,
                          uint32_t loop, uint32_t header, uint32_t limit, path_function *found,
                          void *context);
#endif
