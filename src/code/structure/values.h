/* The value of a register or a place in memory, as far as the code before it shows: a constant, a multiple of
   an unknown (an index), or a number loaded from a table at such an index.

     value = constant + scale · term
     term  = nothing | index | entry at (table + entry_scale · index) */
#ifndef CODE_STRUCTURE_VALUES_H
#define CODE_STRUCTURE_VALUES_H
#include "code/structure/backward.h"

enum term {
    TERM_NONE,
    TERM_INDEX,
    TERM_ENTRY,
    TERM_SILENT, /* says nothing of its own: a copy of the very place that is asked for, or code that nothing
                    is known to lead to */
};

struct value {
    enum term term;
    uint64_t constant, scale;
    uint64_t address; /* the part of the constant that was added as the address of some data */
    /* of TERM_INDEX, and of the index of TERM_ENTRY: equal numbers mean the same unknown */
    uint64_t identity;
    uint64_t most; /* the largest value that its type or a mask allows; UINT64_MAX if unknown */
    uint32_t born; /* the entry that made it, or FUNCTION_ENTRY where it is not one alone */
    /* where it is not: the place that holds it, and those who may have written it there */
    struct place place;
    struct definitions definitions;
    /* of TERM_ENTRY */
    uint64_t table, entry_scale;
    uint64_t unchecked_table; /* where it starts if nothing is known of the index: without what was added to
                                 that */
    uint8_t entry_bytes;
    bool is_signed;
};

/* The value of an operand of the instruction at this entry, before it. */
struct value value_of_operand(struct backward *backward, uint32_t entry, const struct operand *operand);
/* The value of a place before this entry, and the one that the instruction at an entry gives to the place. */
struct value value_of_place(struct backward *backward, const struct place *place, uint32_t before);
struct value value_written(struct backward *backward, const struct place *place, uint32_t entry);
/* The same number as an index: a loaded entry becomes a new unknown. */
struct value value_as_index(const struct value *value);
#endif
