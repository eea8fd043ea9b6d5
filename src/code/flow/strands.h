/* A walk over what happens to one unit, or to a group of units that rotate into each other, in every block.

   A strand is a unit in a block.  The walk notes for each strand with events the value at the end of the block
   and whether the unit is read before it is defined there (exposed) and whether it is always defined
   (killed); in strands without events only calls matter.  Arrays are as large as the largest function and are
   never cleared: a strand counts only if it has the mark of the current walk. */
#ifndef CODE_FLOW_STRANDS_H
#define CODE_FLOW_STRANDS_H
#include "code/flow/graph.h"

/* A value that a unit can have: two bits of kind, and a number. */
enum value_kind {
    VALUE_ENTRY,      /* what the function was entered with; number 1: nothing at all */
    VALUE_DEFINITION, /* number: instruction that defined it */
    VALUE_KEPT,  /* number: event that changed a part of it, or may have: its value, and the one before */
    VALUE_START, /* number: strand; what it was at the start of the block */
};
static inline uint32_t value_make(enum value_kind kind, uint32_t number)
{
    return (uint32_t)kind << 30 | number;
}
static inline enum value_kind value_kind(uint32_t value)
{
    return (enum value_kind)(value >> 30);
}
static inline uint32_t value_number(uint32_t value)
{
    return value & 0x3fffffff;
}

enum { STRAND_EXPOSED = 1, STRAND_KILLED = 2, STRAND_LIVE = 4 };
enum { MOST_STRANDS = 1 << 24 };

struct strands {
    const struct flow_graph *graph;
    uint16_t from, to; /* units */
    uint32_t mark;
    uint32_t *marks, *out; /* by strand: (unit - from) * blocks + block */
    uint8_t *state;
    uint32_t *before;       /* by event: the value that reaches it */
    const uint8_t *removed; /* by instruction, or NULL: those are not there */
    /* For callers that delete code: calls define nothing, and everything that may change registers or leaves
       the function uses the registers that the ABI does not preserve. */
    bool is_careful;
    size_t capacity, before_capacity;
    struct array live; /* of uint32_t: strands */
};

/* The units from … to-1 of the graph; false if there are too many strands. */
bool strands_walk(struct strands *strands, const struct flow_graph *graph, uint16_t from, uint16_t to);
void strands_free(struct strands *strands);
/* The value of a strand at the end of its block. */
uint32_t strands_out(const struct strands *strands, uint32_t strand);
/* The strand at the end of a predecessor that becomes this strand: another unit if the branch rotates.  NONE for
   the first of the rotating general and floating-point registers: no code uses a value that wraps around from
   the last one after dozens of rotations. */
uint32_t strands_before(const struct strands *strands, uint32_t strand, uint32_t predecessor);
/* After strands_walk: marks the strands that are live at the start of their block. */
void strands_find_live(struct strands *strands);
static inline bool strands_is_live(const struct strands *strands, uint32_t strand)
{
    return strands->marks[strand] == strands->mark && strands->state[strand] & STRAND_LIVE;
}
/* After strands_find_live: rows of live_ranges for all units of the walk. */
void strands_add_ranges(struct strands *strands, struct array *ranges);
#endif
