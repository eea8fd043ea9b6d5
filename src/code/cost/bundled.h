/* Machines with bundles (Itanium) have one part of the core, pairing: the in-order schedule of schedule.c.
   Bundles, stops, ports and latencies decide there which instructions issue together. */
#ifndef CODE_COST_BUNDLED_H
#define CODE_COST_BUNDLED_H
#include "code/cost/macs/anew.h"
#include "code/cost/macs/body.h"
#include "code/cost/core/core.h"

/* Kept from block to block. */
struct bundled {
    struct bodies bodies;
    struct scheduler scheduler;
    struct bundle_program program;
    unsigned rotating; /* general registers, in the current blocks */
    struct anew anew;  /* of the current blocks, once it was asked for */
    bool has_anew;
};

/* NULL for a machine without bundles. */
struct bundled *bundled_begin(const struct model *model, const struct machine *machine);
void bundled_end(struct bundled *bundled);
/* The blocks of an iteration of a loop, in the order in which they run. */
void bundled_take(struct bundled *bundled, uint32_t loop, const struct path_block *blocks, size_t count);
/* Their cycles; false if they are too long. Every instruction counts as known: the machine file has units and
   latencies for all kinds. */
bool bundled_predict(struct bundled *bundled, struct cost_prediction *prediction);
/* The same instructions bundled anew. changes: enum anew_change of each, count of them; NULL: all stay.
   false if they are too long, or not that many. */
bool bundled_anew(struct bundled *bundled, const uint8_t *changes, size_t count, struct anew *anew);
#endif
