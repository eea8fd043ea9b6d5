/* What the parts of the front end share: the stream of instructions that the predecoder and the decoders see.

   The stream has the items that the µop cache does not hold, an absorbed branch together with the item before
   it. In unrolled mode these are all items; in loop mode, all from the first one that the cache does not
   hold, because only a branch leads back to the cache. */
#ifndef CODE_COST_CORE_FRONT_END_H
#define CODE_COST_CORE_FRONT_END_H
#include "code/cost/core/core.h"

/* An instruction, or a fused pair, as the decoders see it. */
struct front_instruction {
    uint8_t instructions; /* 2 for a fused pair */
    bool needs_complex_decoder;
    uint8_t simple_decoders; /* simple decoders that stay free if it needs the complex one */
    bool ends_group;
    bool may_fuse;
    uint16_t uops;
    uint32_t busy; /* cycles of the microcode sequencer after it, switches included */
    uint32_t item; /* the first of its items */
};

/* The instructions that a cycle decodes from a given one on, if enough are available. */
struct front_group {
    uint32_t count; /* of the stream; 0: not looked for yet */
    uint32_t taken; /* raw instructions, both of a pair counted */
    uint32_t needs; /* of those, available */
};

struct front_stream {
    struct front_instruction *instructions;
    struct front_group *groups; /* by the instruction that they start with */
    unsigned count;
    unsigned first; /* the item that it starts with: block.count where everything is cached */
};

/* Cached for the next caller. */
const struct front_stream *front_stream(const struct cost_block *block, struct cost_scratch *scratch);

/* How many instructions of the stream a cycle decodes from this one on, given the number available. That
   number and *taken count raw instructions, both of a pair. */
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

/* From this item on; cached for the next caller. */
const struct front_batches *front_batches(const struct cost_block *block, unsigned first,
                                          struct cost_scratch *scratch);

/* The first item that passes the decoders, as do all after it; block.count for none. */
unsigned front_decoded_from(const struct cost_block *block);
/* The items before those, which come from the µop cache, and their cycles. */
unsigned front_cached_items(const struct cost_block *block);
double front_cached_cycles(const struct cost_block *block, unsigned items);

/* µops of an item before the renamer splits any, 1 at least: what the caches and queues count. */
unsigned front_uops(const struct cost_item *item);
/* Cycles of the microcode sequencer for an item, without the switch. */
unsigned front_microcode_cycles(const struct cost_item *item);
/* Whether the code continues elsewhere after this item: the next one does not follow it in memory. The first
   item comes after the last one, and may follow it in memory if a path starts in the middle of its loop. */
bool front_jumps(const struct cost_block *block, unsigned item);

/* Marks all items that pass this part. */
void front_mark_all(const struct cost_block *block, unsigned first, struct cost_bound *bound);
#endif
