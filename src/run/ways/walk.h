/* Ways through a region, as a run takes them.

   A crowd of walkers starts at the entry.  Where the code parts, they part, by the shares of the edges; where
   too few are left to be divided, chance decides.  Those that went the same way are one way with their number
   as its weight.  So a region with a few ways has exactly these, to the share of a walker, and one with
   millions has a fair sample of what was taken.  Chance is the same each time. */
#ifndef RUN_WAYS_WALK_H
#define RUN_WAYS_WALK_H
#include "run/ways/region.h"

enum { WAY_WALKERS = 64 };

struct way {
    uint32_t first, count; /* of nodes */
    unsigned walkers;
};
struct ways {
    struct array all;   /* of struct way */
    struct array nodes; /* of uint32_t */
    unsigned walkers;   /* that arrived: others went round in an irreducible loop, or too far */
};

void ways_walk(struct ways *ways, const struct way_region *region);
void ways_free(struct ways *ways);
#endif
