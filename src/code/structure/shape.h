/* The shape of one function: blocks, edges, dominators, loops, paths, calls, in numbers local to the
   function.

   A block is a run of instructions that control enters at the first and leaves at the last one.  It ends
   before every jump target; after every jump, return, trap and undecodable byte; after calls that do not
   return; and after calls with a landing pad, to which an exception edge goes.  Other calls do not end a
   block.  If a listing's comments state blocks, those start there too.  On IA-64, instructions that leave
   under a predicate also fall through.  Blocks of padding that nothing reaches have no edges. */
#ifndef CODE_STRUCTURE_SHAPE_H
#define CODE_STRUCTURE_SHAPE_H
#include "code/structure/graph.h"
#include "code/structure/layout.h"

struct shape_block {
    uint32_t first, count; /* entries of the piece */
    uint32_t dominator, dom_enter, dom_leave;
    uint32_t loop;         /* innermost, or NO_NODE */
    uint32_t most_repeats; /* of a gather that repeats itself (shape_gathers.c); 0: it is none */
    uint8_t ends;          /* enum block_end */
    bool is_reachable;
    bool repeats_gather; /* ends with the jump that repeats it */
};

struct shape_edge {
    uint32_t source, target; /* blocks; target NO_NODE if it is outside */
    uint64_t outside;        /* address of the target there */
    uint8_t kind;            /* enum edge_kind */
};

struct shape_loop {
    struct graph_loop graph;
    uint32_t block_count, instruction_count, entry_count, exit_count, back_edge_count;
    uint64_t path_count;
};

struct shape_path {
    uint32_t loop, instruction_count, first, length; /* blocks path_blocks[first … first+length-1] */
    bool is_exit;
};

struct shape_call {
    uint32_t entry;
    uint32_t piece;   /* callee, or NO_NODE */
    string_id import; /* callee, or 0 */
    uint8_t kind;     /* enum call_kind */
};

struct shape_membership {
    uint32_t loop, block;
};

struct shape {
    struct shape_block *blocks;
    struct shape_edge *edges;             /* by source */
    struct shape_loop *loops;             /* parents before children */
    struct shape_membership *memberships; /* by loop, then block */
    struct shape_path *paths;             /* by loop */
    uint32_t *path_blocks;
    struct shape_call *calls; /* by entry */
    uint32_t block_count, edge_count, loop_count, membership_count, path_count, path_block_count, call_count;
    uint32_t unresolved_jumps, guessed_tables, inner_jumps, deep_blocks; /* for the table problems */
    uint64_t first_unresolved, first_guessed, first_inner;
};

/* Facts about an entry while blocks are cut (shaper.flags). */
enum { LEADER = 1, NO_RETURN = 2, HAS_PAD = 4, ENTRY = 8, POINTER = 16, LABEL = 32 };

/* Memory of one worker: what is kept (arena) and what is reused. */
struct shaper {
    struct layout *layout;
    unsigned path_limit;
    struct arena arena;
    struct graph_scratch graph_scratch;
    struct array open_jumps, open_entries, found_targets, flags, jumps, targets, blocks, edges, calls,
        block_of, switch_edges, first, graph_targets, numbers, marks, loops, memberships, paths, path_blocks;
};

void shaper_init(struct shaper *shaper, struct layout *layout, unsigned path_limit);
void shaper_free(struct shaper *shaper); /* also frees the shapes made with it */
/* Entries of the piece that turn out to be a jump table lose their encoding. */
void shape_find(struct shaper *shaper, struct piece *piece, struct shape *shape);
#endif
