/* How many cycles a block of instructions takes in each part of the core.

   Each part is a pure function from a block to a bound in cycles of an iteration; the bound never exceeds
   what the part really takes, so the largest bound is the answer and its part the explanation. A part returns
   0 if the machine file lacks its figures. Parts are independent of each other and of instruction sets: all
   facts come from the machine file.

   Two modes. Unrolled: the block is repeated without a branch, so every byte passes the decoders. Loop: the
   block ends in a branch to its start, and its µops come from the µop cache or the loop buffer if possible.
 */
#ifndef CODE_COST_CORE_CORE_H
#define CODE_COST_CORE_CORE_H
#include "code/cost/core/dependences.h"
#include "code/machine/resolve.h"

enum cost_mode { cost_UNROLLED, cost_LOOP };

/* The start of bytes without an address: aligned for a loop, as compilers align it; one byte before that for
   an unrolled block, as in BHive. */
static inline uint64_t cost_start(enum cost_mode mode)
{
    return mode == cost_UNROLLED ? 15 : 0;
}

struct cost_item {
    const struct machine_cost *cost;
    uint32_t id;      /* the caller's name for it: a row of code, or its place */
    uint64_t address; /* of its first byte */
    uint64_t target;  /* what an operand relative to the instruction refers to; 0: unknown */
    /* Filled by cost_prepare. */
    bool is_fused;                  /* fused with the branch or selection after it: both count as one */
    bool is_absorbed;               /* is that branch or selection */
    bool is_eliminated;             /* a move that renaming does */
    uint8_t merges;                 /* high bytes that are put into their registers before it */
    uint8_t synchronises;           /* µops that put the stack pointer right before it */
    const struct form_ports *ports; /* of the µops left to execute */
    unsigned port_count;
};

struct cost_block {
    const struct machine *machine;
    struct cost_item *items;
    unsigned count;
    uint32_t size; /* bytes, all items together */
    enum cost_mode mode;
    unsigned issued; /* filled by cost_prepare: issue slots of an iteration */
    /* Instructions that lead into a loop, in their order: all of them run whenever it is entered. */
    const struct machine_cost *const *entry;
    unsigned entry_count;
};

/* marks: for each item, whether it contributes to the bound; NULL if not needed. */
struct cost_bound {
    double cycles;
    uint8_t *marks;
};

/* Memory of the parts, kept from block to block. */
struct cost_scratch {
    struct arena arena; /* emptied for each block */
    /* Increased by cost_predict for each block, so that parts can share results; 0: they do not. */
    uint64_t block_number, depended_block;
    uint64_t streamed_block, batched_block;
    const struct front_stream *stream;      /* what the decoders see, in the arena */
    const struct front_batches *batches;    /* what the predecoder delivers, in the arena */
    struct cost_addresses addresses, entry; /* of the block; of what leads into it */
    struct cost_dependences dependences;
    double supply; /* cycles that the front end takes for an iteration, as far as cost_predict knows */
};

void cost_scratch_end(struct cost_scratch *scratch);

/* Turns that an access takes on a path of this many bytes to the cache; 0: any width. */
static inline unsigned cost_pieces(unsigned way, unsigned bytes)
{
    return way && bytes > way ? (bytes + way - 1) / way : 1;
}

struct cost_prediction {
    double cycles; /* of an iteration; NaN for an empty block */
    enum core_part limit;
    enum core_part next; /* the limit if that part cost nothing (next_limit.c); NONE: unknown */
    double next_cycles;  /* of an iteration then; NaN where next is NONE */
    /* Of an iteration with the worst alignment of the data; NaN where alignment does not matter. */
    double unaligned_cycles;
    /* Of an iteration if each goes to that element of a table to which the one before went, where loaded data
       is the index; NaN where there is no such table, or it does not matter. */
    double repeated_cycles;
    /* With the easiest and with the hardest operands of divisions and square roots; NaN where it makes no
       difference.  Filled by block_costs_predict. */
    double easy_cycles, hard_cycles;
    /* If gathers are repeated for each of their lanes (Knights Corner); NaN: there are none. */
    double scattered_cycles;
    struct cost_bound bounds[core_part_COUNT];
    unsigned known_count;                          /* items whose form the machine file has */
    bool comes_from_cache, comes_from_loop_buffer; /* loop mode: where its µops come from */
};

/* Fusion, elimination and the stack engine: everything that depends on neighbours. */
void cost_prepare(struct cost_block *block);
/* Moves that find no elimination slot, given the cycles of the front end per iteration. */
void cost_eliminate(struct cost_block *block, struct cost_scratch *scratch, double delivered);

/* The parts.  The block is prepared. */
void cost_predecode(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_decode(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_front_end(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_uop_cache(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_loop_buffer(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_microcode(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_issue(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_ports(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_divider(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_loads(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_stores(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_branches(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_retire(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_latency(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_forwarding(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_window(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_contention(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
/* The same for machines whose µops get their pipes at dispatch (pipes.c). */
void cost_pipes(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);
void cost_pairing(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound);

/* What a load across a line takes more. */
double cost_load_crossing(const struct machine *machine, unsigned bytes);

/* Cycles of stores that lose some beside µops that compute; 0: they do not (store_groups.c). */
double cost_store_groups(const struct cost_block *block, struct cost_scratch *scratch);

/* Cycles that loads and stores take more with the worst alignment of the data (alignment.c). */
void cost_unaligned(const struct cost_block *block, struct cost_scratch *scratch, double *loads,
                    double *stores);

/* Issue slots of an item; of a pair, those of both. */
unsigned cost_slots(const struct cost_block *block, const struct cost_item *item);

/* Cycles in which the schedulers take the µops of an iteration in order; 0: as many as come. Marks the µops
   that count, where marks is not NULL. */
double cost_dispatch(const struct cost_block *block, uint8_t *marks);

/* Loop mode: whether the µop cache holds the block; whether the loop buffer replays it. */
bool cost_is_cached(const struct cost_block *block);
bool cost_is_replayed(const struct cost_block *block);

/* How much to compute: cycles and the limit; also all bounds and the next limit; also the instructions after
   them. The cycles are the same in each case. */
enum cost_detail { cost_ANSWER, cost_BOUNDS, cost_MARKS };
/* Runs all parts and finds the limiting one. The marks of the bounds live in the scratch until the next
   block. */
void cost_predict(struct cost_block *block, struct cost_scratch *scratch, enum cost_detail detail,
                  struct cost_prediction *prediction);

/* Cycles of the longest chain of instructions of which each waits for the one before, within one run of the
   block.  After cost_predict on this block. */
double cost_longest_chain(const struct cost_block *block, struct cost_scratch *scratch);

/* Sets of parts. */
#define COST_PART(part) (UINT32_C(1) << (part))
/* The limiting part for these cycles, if the parts of a set cost nothing; NONE: no other part limits. */
enum core_part cost_largest(const double cycles[core_part_COUNT], uint32_t gone);
/* Fills next and next_cycles; needs the bounds and the limit. */
void cost_find_next(const struct cost_block *block, struct cost_scratch *scratch,
                    struct cost_prediction *prediction);
/* µops of each item on each port in the best assignment: item by port, count × machine.port_count. */
void cost_port_pressure(const struct cost_block *block, struct cost_scratch *scratch, double *pressure);
#endif
