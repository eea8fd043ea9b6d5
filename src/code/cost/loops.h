/* Turns instructions into blocks, for which the parts of the core compute cycles. Innermost loops are done
   path by path; their results become rows of loop_cycles, core_bounds and
   loop_levels.

   A path is one way through an iteration: from the header back to it. Paths that leave the loop are not
   iterations and count only if there are no others. */
#ifndef CODE_COST_LOOPS_H
#define CODE_COST_LOOPS_H
#include "code/cost/bundled.h"
#include "code/cost/core/core.h"
#include "code/cost/data/data.h"

enum { MOST_BLOCK_INSTRUCTIONS = 1 << 16 };

/* Items of a block that stand there once and may be repeated: a gather of Knights Corner. */
struct cost_repeat {
    uint32_t first, end; /* items */
    uint32_t most;
};

/* What one thread needs for block after block. */
struct block_costs {
    struct machine_costs costs;
    struct cost_scratch scratch;
    struct array items;     /* of struct cost_item: the current block */
    struct array encodings; /* of uint32_t: theirs */
    struct array entry;     /* of const struct machine_cost *: what leads into the loop of the block */
    struct array repeats;   /* of struct cost_repeat: its gathers that repeat themselves */
    uint32_t entered;       /* that loop */
    struct cost_block block;
    struct cost_prediction prediction;
    struct cost_data data;   /* beyond the first cache; not with cost_ANSWER */
    struct bundled *bundled; /* NULL: the machine has no bundles */
    bool is_bundled;         /* the current block is a path of a loop, with its bundles */
    uint32_t missing; /* encoding of the first instruction that the machine does not have, 0: it has all */
    const struct machine_cost *lacking; /* its cost, with the reason; NULL: it has all */
    bool is_cut;                        /* the block was larger than MOST_BLOCK_INSTRUCTIONS */
};

void block_costs_begin(struct block_costs *work, const struct machine *machine, const struct model *model);
void block_costs_end(struct block_costs *work);
/* For blocks that are measured in a harness like BHive's: memory and all general registers but those of the
   stack hold one value at the start. */
void block_costs_make_alike(struct block_costs *work);
/* Rows of encodings were dropped. */
void block_costs_forget(struct block_costs *work);
/* A new block: instruction by instruction, in order. */
void block_costs_clear(struct block_costs *work);
/* target: what an operand relative to the instruction refers to, or NO_ADDRESS. */
void block_costs_add(struct block_costs *work, uint32_t encoding, uint32_t id, uint64_t address,
                     uint64_t target);
/* Bytes in order of execution, which follow each other as if no jump were taken: puts the instructions of a
   way through a loop where its jumps lead (way.c). */
void block_costs_close(struct block_costs *work);
/* false if there are no cycles: the machine lacks an instruction (missing), the block is cut, or the machine
   file does not describe the core. */
bool block_costs_predict(struct block_costs *work, enum cost_mode mode, enum cost_detail detail);

/* A path through an innermost loop, and its result. */
struct loop_path {
    uint32_t loop, path;          /* path: its position */
    uint32_t first_block, blocks; /* a run of path_blocks */
    bool is_exit;
    /* Filled by cost_loops. */
    double cycles; /* NaN: no answer */
    enum core_part limit, next;
    double next_cycles;              /* if limit cost nothing; NaN where next is NONE */
    double unaligned_cycles;         /* with the worst alignment of the data; NaN where it does not matter */
    double repeated_cycles;          /* with the same element of a table every time; NaN likewise */
    double easy_cycles, hard_cycles; /* by the operands of divisions; NaN where they do not decide */
    double scattered_cycles;         /* with gathers repeated for each lane; NaN where none repeats itself */
    unsigned instruction_count, known_count, call_count;
    bool is_loop_buffer, is_cached;
    uint32_t missing;
    enum lack lack;
    const char *lacking_extension;
    bool is_cut;
    double bounds[core_part_COUNT];       /* 0: without a say */
    struct line_counts lines;             /* that an iteration touches first */
    double unknown_lines;                 /* among them, of accesses whose places the code does not show */
    int64_t stride;                       /* bytes that its streams move in an iteration, at most */
    struct data_cycles data[DATA_LEVELS]; /* by place: caches of the machine, memory behind the last */
};

/* The paths of a loop that count, added to an array of struct loop_path. */
void loop_paths_list(const struct model *model, uint32_t loop, struct array *paths);
/* Drops the rows of paths after this position: a database may list more than a report looks at (assay db
   --cycles). */
void loop_paths_drop(struct model *model, int64_t limit);
/* The blocks through which control always comes to a loop, the last first, as long as each has a single block
   before it.  Returns their number. */
enum { LOOP_ENTRY_BLOCKS = 8 };
uint32_t loop_entry(const struct model *model, uint32_t loop, uint32_t blocks[LOOP_ENTRY_BLOCKS]);
/* Makes a path the current block; ids are those of its instructions. */
void loop_path_take(const struct model *model, const struct loop_path *path, struct block_costs *work);
/* Stores the result of the current block in the path. */
void loop_path_note(const struct block_costs *work, bool is_answered, struct loop_path *path);

/* The machine for each instruction set; NULL if there is none: its loops get no result. */
struct loop_machines {
    const struct machine *of[isa_COUNT];
};
/* The machine of a loop's program; i386 code runs on x86-64 machines. */
const struct machine *loop_machine(const struct loop_machines *machines, const struct model *model,
                                   uint32_t loop);
/* Computes all paths (struct loop_path) with worker threads; the results do not depend on their number. */
void cost_loops(const struct model *model, const struct loop_machines *machines, struct array *paths,
                unsigned threads);
/* The same in this detail. */
void cost_loops_in(const struct model *model, const struct loop_machines *machines, struct array *paths,
                   enum cost_detail detail, unsigned threads);
/* The same, but only cycles, limit, bounds and counts of instructions: no data beyond the first cache, no
   next limit.  Paths with the same instructions, at addresses that the core cannot tell apart, are computed
   once: a large program has many. */
void cost_loops_quickly(const struct model *model, const struct loop_machines *machines, struct array *paths,
                        unsigned threads);
/* Their rows of loop_cycles, core_bounds and loop_levels, in place of all others.  The paths are in order of
   loops and positions. */
void cost_loops_add(struct model *model, const struct loop_machines *machines, const struct array *paths);
#endif
