/* The dependence graph of a block: which values an iteration passes to itself and to later ones, and how long
   each step takes. */
#ifndef CODE_COST_CORE_DEPENDENCES_H
#define CODE_COST_CORE_DEPENDENCES_H
#include "code/cost/core/addresses.h"
#include "code/cost/core/cycle_ratio.h"

/* A value that an item makes: a resource that it writes, or the data that it stores (RESOURCE_MEMORY). */
struct dependence_node {
    uint32_t item;
    uint16_t resource;
    bool is_loaded; /* straight from memory, by a plain load */
    float latency;  /* the longest from any of its inputs */
};

struct cost_dependences {
    uint32_t epoch;
    uint32_t current_stamps[MOST_RESOURCES], last_stamps[MOST_RESOURCES];
    uint32_t current[MOST_RESOURCES]; /* nodes: of the iteration so far */
    uint32_t last[MOST_RESOURCES];    /* of the end of an iteration */
    struct array nodes;               /* of struct dependence_node, in the order of the code */
    struct array first_nodes;         /* of uint32_t: by item, and one more */
    struct array edges;               /* of struct ratio_edge, by the node that they end in */
    struct array moved_from; /* of uint32_t: by node, the node that an eliminated move took it from */
    struct array fast;       /* of uint32_t: edges of loads that are faster from a loaded pointer */
    struct array chained;    /* of uint32_t: edges that are shorter between two instructions of their kind */
    struct array carried;    /* of struct ratio_edge: a copy for cost_cycle_ratio to work on */
    struct ratio_work ratio;
};

struct cost_scratch;
/* Into scratch->dependences and scratch->addresses; once for each block that cost_predict counts. */
void cost_find_dependences(const struct cost_block *block, struct cost_scratch *scratch);
void cost_dependences_free(struct cost_dependences *dependences);
#endif
