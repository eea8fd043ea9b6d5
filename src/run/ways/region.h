/* Code that runs between two times through one place: a loop's own blocks, from its header back to it, or a
   function's blocks outside its loops, from its entry to where it returns.

   Loops inside are one node each: control comes to it and goes on behind it, and its own code is not looked
   at.  So the region has no circle, but for irreducible loops.  Each edge has the share of the times through
   its node that goes along it: as branches were counted, else as samples stand in the blocks that follow
   (shares.c). */
#ifndef RUN_WAYS_REGION_H
#define RUN_WAYS_REGION_H
#include "model/model.h"

enum { WAY_END = UINT32_MAX }; /* where an iteration or a call ends */

struct way_edge {
    uint32_t from, to; /* nodes; to: or WAY_END */
    uint32_t block;    /* whose end it leaves */
    bool is_taken;     /* of a conditional branch: the way that jumps */
    double share;      /* of the times through its node; set by way_shares_find */
};

struct way_node {
    uint32_t block;             /* 0: a loop inside */
    uint32_t loop;              /* that one */
    uint32_t first, end;        /* its edges */
    uint32_t entered;           /* edges that lead here, from nodes of the region */
    bool is_useful;             /* an end can be reached from here */
    double samples;             /* in the block */
    unsigned instruction_count; /* of the block */
};

struct way_region {
    const struct model *model;
    uint32_t function, loop; /* loop 0: outside the loops of the function */
    uint32_t entry;          /* node */
    struct array nodes;      /* of struct way_node */
    struct array edges;      /* of struct way_edge, by node */
    double samples;          /* in all blocks */
    bool is_counted;         /* all shares come from counts of branches */
};

/* false: the region has no way from its start to an end. */
bool way_region_make(struct way_region *region, const struct model *model, uint32_t function, uint32_t loop);
void way_region_free(struct way_region *region);
static inline struct way_node *way_node(const struct way_region *region, uint32_t node)
{
    return ARRAY_AT(struct way_node, &region->nodes, node);
}
static inline struct way_edge *way_edge(const struct way_region *region, uint32_t edge)
{
    return ARRAY_AT(struct way_edge, &region->edges, edge);
}

/* shares.c.  Samples by block of the model (NULL: none), and whether counts of branches are asked. */
void way_shares_find(struct way_region *region, const double *samples);
#endif
