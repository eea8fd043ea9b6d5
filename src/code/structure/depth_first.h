/* Shared by the graph algorithms: reusable memory, and the depth-first order. */
#ifndef CODE_STRUCTURE_DEPTH_FIRST_H
#define CODE_STRUCTURE_DEPTH_FIRST_H
#include "code/structure/graph.h"

/* Each keeps its own buffer, so that one may use what another left there during the same call. */
enum graph_buffer {
    GRAPH_ORDER, /* the depth-first order */
    GRAPH_WORK,  /* the algorithm's own arrays; what is in them is not defined */
    GRAPH_MARKS, /* all zero between calls: whoever sets marks clears them, at less than the cost of clearing
                    all */
    GRAPH_BUFFERS,
};
/* words uint32_t, aligned for uint64_t; zero in GRAPH_MARKS only. */
uint32_t *graph_scratch_words(struct graph_scratch *scratch, enum graph_buffer buffer, size_t words);

/* The reachable nodes numbered in the order in which a depth-first search from node 0 first sees them,
   successors in their order.  Below, "number" is always such a number; number 0 is the entry. */
struct depth_first {
    uint32_t count;
    uint32_t *number;            /* of a node, or NO_NODE if unreachable */
    uint32_t *node;              /* of a number */
    uint32_t *parent;            /* number of a number's parent in the search's tree; parent[0] is 0 */
    uint32_t *first_predecessor; /* count + 1 entries */
    uint32_t *predecessors;      /* numbers; parallel edges as often as they are there */
};
void depth_first_search(const struct graph *graph, struct graph_scratch *scratch, struct depth_first *order);
#endif
