/* The cycle of a graph with the most latency for each iteration that it crosses. */
#ifndef CODE_COST_CORE_CYCLE_RATIO_H
#define CODE_COST_CORE_CYCLE_RATIO_H
#include <stdint.h>
#include <stdbool.h>
#include "base/memory.h"

struct ratio_edge {
    uint32_t from, to;
    uint32_t distance; /* iterations crossed */
    float latency;
    float apart; /* the latency between two pipes, where that is longer; else 0. The ratio ignores it */
    uint8_t way; /* enum cost_way: how the value enters; the ratio ignores it */
};

/* Memory, kept from graph to graph. */
struct ratio_work {
    struct array numbers; /* of uint32_t */
    struct array levels;  /* of double */
    struct array cycle;   /* of uint32_t: the answer */
};

/* Edges that cross no iteration go from lower to higher nodes, so each cycle crosses at least one. The edges
   are reordered. Returns 0 for a graph without cycles of positive latency, else the largest ratio;
   work->cycle then has the nodes of such a cycle. */
double cost_cycle_ratio(struct ratio_work *work, struct ratio_edge *edges, uint32_t edge_count,
                        uint32_t node_count);
void cost_ratio_free(struct ratio_work *work);
#endif
