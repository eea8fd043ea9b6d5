/* Machines with bundles (Itanium) among the parts of the core: the schedule in order of schedule.c is their
   one part, pairing, since what issues together is a matter of bundles, stops, ports and latencies there. */
#ifndef COST_BUNDLED_H
#define COST_BUNDLED_H
#include "cost/macs/body.h"
#include "cost/core/core.h"

/* Kept from block to block. */
struct bundled {
    struct bodies bodies;
    struct scheduler scheduler;
    unsigned rotating; /* general registers, in the blocks at hand */
};

/* NULL for a machine without bundles. */
struct bundled *bundled_begin(const struct model *model, const struct machine *machine);
void bundled_end(struct bundled *bundled);
/* The blocks of an iteration, in the order in which they run, of a loop. */
void bundled_take(struct bundled *bundled, uint32_t loop, const struct path_block *blocks, size_t count);
/* What they take; false where they are too long.  Every instruction counts as known: the machine file has
   units and latencies for all kinds. */
bool bundled_predict(struct bundled *bundled, struct cost_prediction *prediction);
#endif
