/* A branch inside a loop and its two sides.

   A side is what runs only if the branch goes that way: the blocks of the loop that the first block after
   the branch dominates. If other blocks lead there, too, the side is empty: that is where the sides meet. A
   branch that may leave the loop is not a fork: it ends a search or checks for an error. */
#ifndef CODE_QUALITY_RULES_FORKS_H
#define CODE_QUALITY_RULES_FORKS_H
#include "code/quality/values.h"

struct fork_side {
    uint32_t first;        /* block after the branch */
    unsigned instructions; /* 0: an empty side */
    unsigned loads, stores;
    bool is_plain;               /* a compiler could do it without a branch, but for its loads and stores */
    const struct operand *place; /* of its store, if it has one; the base of the last if several */
    uint32_t *writers;           /* by row of registers, full ones: encoding of the last writer; 0: none */
};

struct fork {
    unsigned item; /* the branch */
    struct fork_side sides[2];
    unsigned taken; /* the side that the path takes */
};

/* Whether the branch of an item is a fork, and its sides. Memory of the subject's arena. */
bool fork_find(const struct subject *subject, unsigned item, struct fork *fork);
/* Whether the branch of an item goes the same way in every iteration: its condition is made of values from
   outside the loop and of places that do not move. */
bool fork_is_invariant(const struct values *values, unsigned item);
/* Whether the sides leave different values in a register. */
bool fork_changes(const struct subject *subject, const struct fork *fork, uint32_t register_row);
/* The instructions of a side, in order; at most this many. Returns how many there are in the array. */
unsigned fork_side_items(const struct subject *subject, const struct fork_side *side,
                         struct subject_item *items, unsigned most);
/* Whether no block of the loop calls a function, goes through a jump table, or is outside the section of the
   header, where compilers put what hardly ever runs. */
bool fork_is_simple_loop(const struct subject *subject);
/* The source line of an item, as "solve.c:40"; NULL if unknown. Memory of the subject's arena. */
const char *fork_place(const struct subject *subject, unsigned item);
#endif
