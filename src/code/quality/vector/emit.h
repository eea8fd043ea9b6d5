/* Single instructions on vectors, spelled in a dialect and put into a block.  Part of vector/forms.c. */
#ifndef CODE_QUALITY_VECTOR_EMIT_H
#define CODE_QUALITY_VECTOR_EMIT_H
#include "code/quality/vector/forms.h"

/* A register, a place in memory or (neither) a constant. */
struct vector_value {
    uint32_t row;                 /* of registers; 0: none */
    const struct operand *memory; /* NULL: none */
    unsigned element;             /* bits of a number */
    unsigned bits;                /* that one iteration of the path works on */
};

/* Bits of such a value in a vector instruction, and how many instructions all iterations need. */
unsigned vector_total(const struct vector_maker *maker, unsigned bits);
unsigned vector_copies(const struct vector_maker *maker, unsigned bits);

enum { MOST_VECTOR_SOURCES = 3 };

struct vector_arithmetic {
    const char *name; /* as in vector/forms.def */
    enum vector_shape shape;
    enum class class;
    struct vector_value result, sources[MOST_VECTOR_SOURCES];
    unsigned source_count;
    uint32_t mask; /* row of registers */
};
/* false if the machine has no such instruction. */
bool vector_emit(struct vector_maker *maker, unsigned item, const struct vector_arithmetic *arithmetic);

/* A whole form: the first register of its text is written, others are read; a single one that has something
   to read is both. */
struct vector_whole {
    const char *form;
    enum class class;
    unsigned narrow, wide; /* bits of elements */
    unsigned bits;         /* of a vector, of wide elements */
    uint32_t written, read;
    const struct operand *memory; /* NULL: none */
    unsigned bytes;               /* in memory */
    bool stores;
};
bool vector_emit_whole(struct vector_maker *maker, unsigned item, const struct vector_whole *whole);
#endif
