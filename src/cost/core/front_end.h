/* What the parts of the front end share: the stream of instructions that the predecoder and the decoders
   see.

   The stream is that of the items which the µop cache does not hold, an absorbed branch with the one before
   it: all of them in unrolled mode; in loop mode those from the first on whose code the cache does not take,
   because the way back to the cache leads through a branch only. */
#ifndef COST_CORE_FRONT_END_H
#define COST_CORE_FRONT_END_H
#include "cost/core/core.h"

/* What the decoders see of an instruction, or of a fused pair. */
struct front_instruction {
    uint8_t instructions; /* 2 for a fused pair */
    bool needs_complex_decoder;
    uint8_t simple_decoders; /* that are free beside it, where it needs the complex one */
    bool ends_group;
    bool may_fuse;
    uint16_t uops;
    uint32_t busy; /* cycles of the microcode sequencer after it, switches included */
    uint32_t item; /* the first of its items */
};

/* What a cycle decodes from an instruction on, where enough of them are at hand. */
struct front_group {
    uint32_t count; /* of the stream; 0: not looked for yet */
    uint32_t taken; /* raw instructions, both of a pair counted */
    uint32_t needs; /* of those, at hand */
};

struct front_stream {
    struct front_instruction *instructions;
    struct front_group *groups; /* by the instruction that they start with */
    unsigned count;
    unsigned first; /* the item that it starts with: block.count where everything is cached */
};

/* Kept for who asks again. */
const struct front_stream *front_stream(const struct cost_block *block, struct cost_scratch *scratch);

/* How many instructions of the stream, from this one on, a cycle decodes, where so many are at hand: raw
   instructions of the stream, both of a pair counted.  *taken counts those likewise. */
unsigned front_group(const struct machine_core *core, const struct front_stream *stream, unsigned from,
                     unsigned at_hand, unsigned *taken);

/* What the predecoder delivers, step by step: count instructions after 1 + stall cycles. */
struct front_batch {
    uint16_t count, stall;
};

/* The steps of a whole number of iterations, after which all repeats. */
struct front_batches {
    struct front_batch *batches;
    unsigned count;
    unsigned iterations;
    unsigned first; /* the item that the first batch starts with */
};

/* From this item on; kept for who asks again. */
const struct front_batches *front_batches(const struct cost_block *block, unsigned first,
                                          struct cost_scratch *scratch);

/* The first item that passes the decoders, as do all after it; block.count for none. */
unsigned front_decoded_from(const struct cost_block *block);
/* Items that come from the µop cache, in front of those, and the cycles they take. */
unsigned front_cached_items(const struct cost_block *block);
double front_cached_cycles(const struct cost_block *block, unsigned items);

/* µops of an item before the renamer splits any, 1 at least: what the caches and queues count. */
unsigned front_uops(const struct cost_item *item);
/* Cycles of the microcode sequencer for an item; the switch apart. */
unsigned front_microcode_cycles(const struct cost_item *item);
/* Whether the code goes on elsewhere after this item: the next one does not follow it in memory.  After the
   last one comes the first, which may follow it where a path starts in the middle of its loop. */
bool front_jumps(const struct cost_block *block, unsigned item);

/* Marks all items that pass this part. */
void front_mark_all(const struct cost_block *block, unsigned first, struct cost_bound *bound);
#endif
