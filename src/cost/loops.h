/* Instructions become blocks whose cycles the parts of the core tell; innermost loops do, path by path, and
   their answers become rows of loop_cycles and core_bounds.

   A path is what an iteration runs: from the header back to it.  Paths that leave the loop are no iteration
   and count only where there are no others. */
#ifndef COST_LOOPS_H
#define COST_LOOPS_H
#include "cost/bundled.h"
#include "cost/core/core.h"

enum { MOST_BLOCK_INSTRUCTIONS = 1 << 16 };

/* What one thread needs for block after block. */
struct block_costs {
    struct machine_costs costs;
    struct cost_scratch scratch;
    struct array items;     /* of struct cost_item: the block at hand */
    struct array encodings; /* of uint32_t: theirs */
    struct cost_block block;
    struct cost_prediction prediction;
    struct bundled *bundled; /* NULL: the machine has no bundles */
    bool is_bundled;         /* the block at hand is a path of a loop, with its bundles */
    uint32_t missing; /* encoding of the first instruction that the machine does not have, 0: it has all */
    const struct machine_cost *lacking; /* its cost, which says why; NULL: it has all */
    bool is_cut;                        /* the block was larger than MOST_BLOCK_INSTRUCTIONS */
};

void block_costs_begin(struct block_costs *work, const struct machine *machine, const struct model *model);
void block_costs_end(struct block_costs *work);
/* Rows of encodings were dropped. */
void block_costs_forget(struct block_costs *work);
/* A new block: instruction by instruction, in order. */
void block_costs_clear(struct block_costs *work);
void block_costs_add(struct block_costs *work, uint32_t encoding, uint32_t id, uint64_t address);
/* false without cycles: the machine lacks an instruction (missing), the block is cut, or the machine file
 * does not describe the core. */
bool block_costs_predict(struct block_costs *work, enum cost_mode mode, enum cost_detail detail);

/* A path through an innermost loop, and what came of it. */
struct loop_path {
    uint32_t loop, path;          /* path: its position */
    uint32_t first_block, blocks; /* a run of path_blocks */
    bool is_exit;
    /* Filled by cost_loops. */
    double cycles; /* NaN: no answer */
    enum core_part limit, next;
    double next_cycles; /* if limit cost nothing; NaN where next is NONE */
    unsigned instruction_count, known_count, call_count;
    bool is_loop_buffer, is_cached;
    uint32_t missing;
    enum lack lack;
    const char *lacking_extension;
    bool is_cut;
    double bounds[core_part_COUNT]; /* 0: without a say */
};

/* The paths of a loop that count, added to an array of struct loop_path. */
void loop_paths_list(const struct model *model, uint32_t loop, struct array *paths);
/* A path becomes the block at hand; ids are those of its instructions. */
void loop_path_take(const struct model *model, const struct loop_path *path, struct block_costs *work);
/* The answer for the block at hand, put down. */
void loop_path_note(const struct block_costs *work, bool is_answered, struct loop_path *path);

/* Which machine each instruction set is for; NULL where there is none: its loops stay without an answer. */
struct loop_machines {
    const struct machine *of[isa_COUNT];
};
/* That of a loop's program; i386 code runs on x86-64 machines. */
const struct machine *loop_machine(const struct loop_machines *machines, const struct model *model,
                                   uint32_t loop);
/* Answers for all paths (struct loop_path), over worker threads; what comes out does not depend on their
   number. */
void cost_loops(const struct model *model, const struct loop_machines *machines, struct array *paths,
                unsigned threads);
/* Their rows of loop_cycles and core_bounds, in place of all others.  The paths are in order of loops and
   positions. */
void cost_loops_add(struct model *model, const struct loop_machines *machines, const struct array *paths);
#endif
