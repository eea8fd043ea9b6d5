/* What each encoding means for data flow, computed once for all its instructions: the units that it reads and
   writes, and its effects on the stack and on addresses into it. */
#ifndef CODE_FLOW_MEANING_H
#define CODE_FLOW_MEANING_H
#include "code/flow/units.h"

/* What happens to a unit.  Reads come before writes. */
enum {
    USE_READS = 1,
    USE_WRITES = 2,
    USE_KEEPS = 4,       /* the write leaves some of the old value, or may not happen */
    USE_HIDDEN = 8,      /* read because of the ABI, not by the instruction itself */
    USE_LIVE_ONLY = 16,  /* read for liveness, but no row of def_use */
    USE_KEEPS_WIDE = 32, /* what is kept is beyond 128 bits only: legacy SSE */
    USE_IS_WIDE = 64     /* accesses more than 128 bits */
};

struct unit_use {
    uint16_t unit;
    uint8_t what;
};

/* What an encoding does to addresses that it computes with. */
enum shape_kind {
    SHAPE_OTHER,    /* nothing that can be tracked */
    SHAPE_MOVE,     /* to = from */
    SHAPE_ADD,      /* to = from + constant */
    SHAPE_ADD_UNIT, /* to = from + other, or from - other where constant is -1 */
    SHAPE_ALIGN,    /* to = from & constant, the constant being -2^n */
    SHAPE_CONSTANT, /* to = constant */
    SHAPE_PUSH,
    SHAPE_POP,
    SHAPE_LEAVE,
    SHAPE_COMPARE, /* results are flags only: an address that it reads does not get anywhere */
};

enum {
    SHAPE_IS_CONDITIONAL = 1, /* the whole instruction, by a predicate */
    SHAPE_IS_PLAIN = 2,       /* nothing but a load or a store of the low bits of whole registers */
    SHAPE_IS_EXPLICIT = 4,    /* IA-64 spill or fill */
    SHAPE_IS_BEFORE = 8,      /* step is added before the access, not after */
    SHAPE_STEPS = 16,         /* the base is changed by step */
    SHAPE_IS_WILD = 32,       /* base plus something that is not constant, or of no fixed size */
    SHAPE_READS_BASE = 64,    /* the base is an operand too */
};

/* What a load and a store must agree on, so that one puts back what the other loaded. */
enum { MATTER_BITS = 1, MATTER_FILL = 2, MATTER_OF_FORMAT = 16 /* and an element */ };

struct shape {
    uint8_t kind, flags;
    uint8_t pieces;           /* of the access: 2 for ldp, stp */
    uint16_t to, from, other; /* units */
    uint16_t base;            /* NO_UNIT if the address is not a base plus a constant */
    uint16_t load_bytes, store_bytes;
    uint16_t data[2]; /* units loaded or stored, for plain ones; NO_UNIT */
    uint32_t data_register[2];
    int64_t constant, displacement, step;
    uint32_t form; /* loads of equal form put the same into the register, given the same memory */
    uint32_t matter;
};

struct encoding_meaning {
    uint32_t first_use; /* in uses, up to that of the next encoding */
    uint64_t touched;   /* bit unit % 64 for each general register that is read or written */
    uint8_t flow, class;
    bool is_conditional, is_unknown, accesses_memory, stores, rotates, clears_rotation, is_alloc;
};

/* Under a predicate a return is a return and a branch. */
static inline bool meaning_returns(const struct encoding_meaning *meaning)
{
    return meaning->flow == flow_RETURN || meaning->class == class_RETURN;
}

struct flow_meanings {
    struct units units[isa_COUNT];
    struct encoding_meaning *encodings; /* one more than there are */
    struct shape *shapes;
    struct array uses; /* of struct unit_use */
};

void flow_meanings_make(struct flow_meanings *meanings, const struct model *model, unsigned threads);
void flow_meanings_free(struct flow_meanings *meanings);
static inline const struct unit_use *meaning_uses(const struct flow_meanings *meanings, uint32_t encoding,
                                                  unsigned *count)
{
    uint32_t first = meanings->encodings[encoding].first_use;
    *count = meanings->encodings[encoding + 1].first_use - first;
    return (const struct unit_use *)meanings->uses.data + first;
}
#endif
