/* Redundant stack accesses.

   They are found in three steps, each on the program without the accesses found before, so that all of them
   can be removed together:
   1. accesses that change nothing: a store of what the place holds already (put back), a load of what the
      register holds already (still in register);
   2. loads whose register nothing reads afterwards (only put back, never used);
   3. stores whose place nothing reads afterwards (never read).
   Removing accesses of step 1 changes no state of the run; the others are plain dead code. */
#ifndef CODE_FLOW_USELESS_H
#define CODE_FLOW_USELESS_H
#include "code/flow/frame.h"
#include "code/flow/strands.h"

struct slot {
    int64_t offset;
    uint16_t bytes;
    bool is_loaded;   /* by a plain load of exactly these bytes: then it is not an argument of a callee */
    uint32_t cluster; /* slots that overlap, also through others, are in one */
};

enum step_kind { STEP_LOAD, STEP_STORE, STEP_TOUCH, STEP_WRITE, STEP_EFFECT, STEP_TURN };

/* Everything that concerns slots and the registers loaded from or stored to them, in order. */
struct step {
    uint32_t instruction;
    uint8_t kind;
    uint16_t unit;  /* of STEP_WRITE */
    uint32_t index; /* access or effect */
};

struct verdict {
    uint8_t reason;   /* 1 + enum uselessness; 0 for none */
    uint32_t partner; /* instruction, or NONE */
    bool is_across_blocks;
};

struct useless {
    struct array slots;                       /* of struct slot, by offset and size */
    struct array steps;                       /* of struct step */
    struct array step_first;                  /* of uint32_t: by block, and one more */
    struct array verdicts;                    /* of struct verdict, by access */
    struct array removed;                     /* of uint8_t, by instruction */
    struct array interest;                    /* of uint8_t, by unit: loaded from or stored to a slot */
    struct array facts, states, queue, order; /* for facts.c */
    struct array marks;                       /* of uint32_t, by block, for dead.c */
    uint32_t mark;
    uint16_t spilled_bits; /* unit of ar.unat, or NO_UNIT */
    bool has_wild_reads;
};

/* def_use holds the rows of this function from first_row on; rows gets those of useless_accesses. */
void useless_find(struct useless *useless, const struct flow_graph *graph, struct strands *strands,
                  struct frame *frame, const struct array *def_use, size_t first_row, struct array *rows);
void useless_free(struct useless *useless);
/* Whether the function calls one that returns more than once, such as setjmp. */
bool useless_returns_twice(const struct flow_graph *graph);

/* The steps, for useless_find. */
void useless_find_idle(struct useless *useless, const struct flow_graph *graph, const struct frame *frame);
void useless_find_dead_loads(struct useless *useless, const struct flow_graph *graph, struct strands *strands,
                             const struct frame *frame);
void useless_find_dead_stores(struct useless *useless, const struct flow_graph *graph,
                              const struct frame *frame, const struct array *def_use, size_t first_row);

static inline const struct frame_access *useless_access(const struct frame *frame, size_t index)
{
    return ARRAY_AT(struct frame_access, &frame->accesses, index);
}
static inline const struct slot *useless_slot(const struct useless *useless, uint32_t slot)
{
    return ARRAY_AT(struct slot, &useless->slots, slot);
}
static inline bool useless_overlap(const struct slot *a, const struct slot *b)
{
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}
static inline bool useless_is_removed(const struct useless *useless, uint32_t instruction)
{
    return *ARRAY_AT(uint8_t, &useless->removed, instruction);
}
#endif
