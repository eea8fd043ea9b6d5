/* Instructions that work on one number become instructions that work on a whole vector of them.

   vector/forms.def maps scalar arithmetic to vector arithmetic. vector/dialects.c has the spelling of vector
   instructions in each instruction set, and how it moves numbers from and to places that are not contiguous.
 */
#ifndef CODE_QUALITY_VECTOR_FORMS_H
#define CODE_QUALITY_VECTOR_FORMS_H
#include "code/quality/altered.h"

enum vector_shape {
    shape_UNARY,         /* result from the last source */
    shape_BINARY,        /* from two */
    shape_LOGIC,         /* the same, bit by bit */
    shape_WITH_CONSTANT, /* from one and a constant */
    shape_SHIFT,         /* from one, by a constant number of bits */
    shape_FUSED,         /* from three, the first of which is added to */
    shape_COMPARE,       /* a mask from two */
    shape_SELECT,        /* from two, by a mask */
    shape_SUM,           /* the sum of an address */
    shape_COUNT
};

/* Sources by which a running result may come back, as bits in the order of sources. */
enum { carry_NONE = 0, carry_FIRST = 1, carry_SECOND = 2, carry_THIRD = 4, carry_ANY = 7 };

struct vector_operation {
    bool is_arm;
    const char *name;
    enum vector_shape shape;
    const char *vector;
    uint8_t result, source;
    uint8_t carry;
};

enum { MOST_VECTOR_SPELLINGS = 2, VECTOR_LENGTHS = 4, VECTOR_ELEMENTS = 4 };

/* A kind of vectors.  In spellings R is the result, A B C are sources, X is A read and R written in one
   place, K a mask that is read and M one that is written, I a constant, P and Z predicates that are always
   true.  Whole forms have %r and %w for registers of narrow and of wide elements (of the only ones, %r), %s
   and %e for their letters, %m for memory, %a for the address. */
struct vector_dialect {
    bool is_arm;
    bool is_second;         /* of the names in vector/forms.def those after | */
    unsigned bits;          /* of its vectors; 0: those of the machine */
    unsigned least_machine; /* bits that a machine's vectors must have */
    const char *prefix;     /* of names */
    /* A register by the bits in use (64 128 256 512) and those of an element (8 16 32 64). */
    const char *registers[VECTOR_LENGTHS][VECTOR_ELEMENTS];
    const char *immediate, *merging, *zeroing; /* words for I, P and Z */
    const char *mask, *read_mask;              /* for M and K; %s: letter; NULL: as any register */
    bool takes_memory;                         /* arithmetic does, as its last source */
    unsigned logic_element;                    /* bits with which logic is spelled; 0: those of the numbers */
    bool selects_bits;                         /* and selections */
    const char *letters, *memory_letters;      /* of elements: in ? and in %s and %e; of those in memory */
    const char *spellings[shape_COUNT][MOST_VECTOR_SPELLINGS];
    const char *select, *add, *shift; /* names */
    const char *fused[2]; /* forms of multiply-adds to the first operand, of 32 and of 64 bits, where scalar
                             code may have been compiled without them; NULL: it would have them */
    uint8_t size, least_size; /* bytes of an instruction; 0: as the scalar's, least_size at least */
    const char *loads[VECTOR_LENGTHS + 1], *stores[VECTOR_LENGTHS + 1]; /* first: 32 bits */
    bool converts_in_memory;   /* loads widen what they load and stores narrow it */
    bool has_simple_addresses; /* of the ways to address memory there are base alone and base plus index */
    const char *copy, *reverse[VECTOR_LENGTHS], *shuffle[VECTOR_LENGTHS];
    bool has_borders;                       /* shuffle works within 128 bits, reverse beyond them */
    const char *widen[2], *widen_memory[2]; /* with and without sign */
    const char *narrow[2][2];               /* two ways, the second in two steps */
    bool by_steps;                          /* only to the double or half width at a time */
    /* A number into the first lane of 128 bits and into another; two halves joined; and back. */
    const char *first_lane[VECTOR_ELEMENTS], *next_lane[VECTOR_ELEMENTS], *join[VECTOR_LENGTHS];
    const char *store_first[VECTOR_ELEMENTS], *store_next[VECTOR_ELEMENTS], *split[VECTOR_LENGTHS];
    const char *gather[VECTOR_ELEMENTS], *scatter[VECTOR_ELEMENTS], *gather_mask;
    const char *each_iteration; /* overhead of a loop of such vectors, once per iteration */
};
extern const struct vector_dialect vector_dialects[];
extern const unsigned vector_dialect_count;

/* The arithmetic of a scalar or vector instruction; NULL if unknown. */
const struct vector_operation *vector_operation(const struct subject *subject,
                                                const struct subject_item *item);

/* How an item accesses memory. */
enum vector_memory {
    memory_WHOLE,    /* contiguous numbers */
    memory_REVERSED, /* the same backwards */
    memory_SHUFFLED, /* contiguous with others, which belong elsewhere */
    memory_LANES,    /* one by one, assembled or taken apart */
    memory_APART,    /* one by one, and never otherwise */
};

/* Makes the instructions of one block. */
struct vector_maker {
    const struct subject *subject;
    struct altered *altered;
    struct machine_costs *made;
    const struct vector_dialect *dialect;
    unsigned bits;                  /* of a vector */
    unsigned iterations;            /* of the path, that a block does */
    unsigned element;               /* bits of values that are moved or masked without a type */
    bool has_vectors;               /* some of the path's instructions work on vectors already */
    bool gathers;                   /* lanes are loaded and stored by one instruction */
    uint8_t widths[MOST_RESOURCES]; /* bits of the numbers that a resource holds; 0: unknown */
};

/* The result shows whether the machine has these instructions. */
void vector_maker_begin(struct vector_maker *maker, struct altered *altered,
                        const struct vector_dialect *dialect, unsigned bits);
/* The instructions for an item in that many iterations; false if there are none. */
bool vector_put(struct vector_maker *maker, unsigned item, enum vector_memory memory);
/* The overhead of a loop of such vectors, once per iteration. */
bool vector_put_overhead(struct vector_maker *maker, unsigned item);
/* A counter in lanes, beside the one for addresses. */
bool vector_put_counter(struct vector_maker *maker, unsigned item);
#endif
