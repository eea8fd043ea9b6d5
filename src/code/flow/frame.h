/* What a function does to its own stack: accesses at a known distance from the stack pointer at entry, and
   everything else that may touch its frame. */
#ifndef CODE_FLOW_FRAME_H
#define CODE_FLOW_FRAME_H
#include "code/flow/graph.h"

#define NO_OFFSET INT64_MIN

enum {
    ACCESS_READS = 1,
    ACCESS_WRITES = 2,
    ACCESS_IS_PLAIN = 4, /* nothing but a load or a store */
    ACCESS_IS_CONDITIONAL = 8,
    ACCESS_IS_EXPLICIT = 16,
};

struct frame_access {
    uint32_t instruction;
    uint32_t register_; /* row; 0 if it is not exactly one register */
    int64_t offset;
    uint16_t bytes, unit; /* unit of the register, or NO_UNIT */
    uint8_t flags;
    uint32_t form, matter; /* see meaning.h */
    uint32_t slot;         /* for useless_find */
};

enum effect_kind {
    EFFECT_CALL,    /* calls and system calls */
    EFFECT_WILD,    /* accesses the frame somewhere */
    EFFECT_UNKNOWN, /* accesses memory through an address that is not known to be in the frame */
};

struct frame_effect {
    uint32_t instruction;
    uint8_t kind;
    uint8_t access; /* ACCESS_READS, ACCESS_WRITES */
    int64_t stack;  /* of calls: the stack pointer, or NO_OFFSET */
};

struct frame {
    struct array accesses; /* of struct frame_access, by instruction and offset */
    struct array effects;  /* of struct frame_effect, by instruction */
    bool escapes;          /* an address into the frame escapes */
    bool is_unreliable;    /* the stack pointer is unknown somewhere: conclude nothing */
    /* Only for frame.c. */
    bool is_aligned;
    int64_t aligned_offset, aligned_mask;
    struct array tracked, states, queue;
};

/* live holds the rows of live_ranges of this function from first_live on; rows gets those of stack_accesses.
 */
void frame_find(struct frame *frame, const struct flow_graph *graph, const struct array *live,
                size_t first_live, struct array *rows);
void frame_free(struct frame *frame);
#endif
