/* Jump tables: the targets of indirect jumps, for switch statements as GCC and Clang compile them.

   Safe on any thread: reads the layout and the model, and writes only to the caller's arguments. */
#ifndef CODE_STRUCTURE_SWITCHES_H
#define CODE_STRUCTURE_SWITCHES_H
#include "code/structure/layout.h"

/* A jump inside the function, from entry to entry of the piece. */
struct jump_source {
    uint32_t target, source;
};

struct switch_context {
    const struct layout *layout;
    const struct piece *piece;
    const struct sweep_instruction *entries; /* of the piece */
    const uint8_t *is_leader;                /* bit 0: a block starts at this entry */
    const struct jump_source *jumps; /* by target: direct jumps, and those through tables found so far */
    uint32_t jump_count;
    const uint32_t *open_jumps; /* entries: indirect jumps with unknown targets so far */
    uint32_t open_jump_count;
    bool joins_open_jumps; /* blocks that nothing known leads to count as their targets */
    struct frame *frame;   /* filled when it is first asked */
    bool *lacks_followers; /* set where code after the function would have to be decoded */
    uint64_t *steps_left;  /* that all searches in this function may take together */
};

struct switch_table {
    uint64_t address; /* of its first entry */
    uint32_t entry_count;
    uint8_t entry_size; /* bytes from one entry to the next */
    bool may_change;    /* some code around it is not reached by any jump that is known so far */
    bool is_guessed;    /* the code does not give its length: cut at the first invalid entry */
};

enum switch_result {
    SWITCH_FOUND,
    SWITCH_UNKNOWN, /* the jump stays inside the function, with unknown targets */
    SWITCH_POINTER, /* there is no table: the target is a pointer, as in a tail call */
};

/* The table of the indirect jump at this entry.  Appends the distinct addresses that it leads to, in order of
   the table, as uint64_t to targets; at least one of them is inside the piece, and all are in code sections
   (the cold part of a function is another piece).  targets is unchanged if there is no table. */
enum switch_result switch_find(const struct switch_context *context, uint32_t jump,
                               struct switch_table *table, struct array *targets);
#endif
