/* What the files that resolve the cost of an instruction share.  Nobody else includes this. */
#ifndef CODE_MACHINE_RESOLVE_PARTS_H
#define CODE_MACHINE_RESOLVE_PARTS_H
#include "code/machine/resolve.h"

enum { MOST_COST_OPERANDS = 16, MOST_COST_VALUES = 64, MOST_COST_FLOWS = 512 };

/* A resource that an instruction reads or writes, and the slots (bits) through which it does.  The high bits,
   from slot_HIDDEN on, are names of one hidden register: they count as one slot. */
struct cost_value {
    uint16_t resource;
    uint64_t read_slots, write_slots;
    bool reads, writes;
    bool is_base, is_index; /* of an address that is accessed */
    bool is_implicit_base;  /* of one that no operand shows */
    bool keeps_old;         /* the old value stays in part, or under a condition */
    uint16_t also;          /* read with it: the byte that is renamed apart, or what that is a part of */
    uint16_t ends;          /* written with it, to no effect but that its old value is gone */
};

/* An instruction while it is resolved. */
struct cost_instruction {
    struct machine_costs *costs;
    const struct encoding *encoding;
    const struct operand *operands; /* of the text */
    unsigned operand_count;
    const struct register_use *uses;
    unsigned use_count;
    const char *text;                /* its form, as it is spelled */
    const struct machine_form *form; /* NULL: none is known */
    bool is_unmasked;                /* the form lacks the second operand */
    bool is_indexed;                 /* an address has an index register */
    uint16_t same;                   /* the resource that all sources are; RESOURCE_NONE: they differ */
    struct cost_value *values;       /* room for MOST_COST_VALUES */
    unsigned value_count;
};

/* values, from the uses and the operands. */
void resolve_gather_values(struct cost_instruction *instruction);
/* flows and writes of the cost, which has its accesses. */
void resolve_make_flows(struct cost_instruction *instruction, struct machine_cost *cost);
/* The cost of a division with the operands that the costs are for, and with easy and hard ones beside it. */
struct machine_cost *resolve_operands(const struct cost_instruction *instruction, struct machine_cost *cost);
/* Which register becomes another plus a constant, if one does. */
struct cost_step resolve_find_step(const struct cost_instruction *instruction);
/* The figures of an instruction without a form. */
void resolve_assume(const struct cost_instruction *instruction, struct machine_cost *cost);
/* Cycles from a register to a result, by the class of the instruction alone. */
double resolve_assumed_latency(const struct cost_instruction *instruction, bool is_loaded);
/* Why the machine does not have the instruction; NONE where it has it, or may have it.  *extension: the title
   of the one that it lacks, or NULL. */
enum lack resolve_lack(const struct cost_instruction *instruction, const char **extension);

/* Plain loads and stores of the machine: what memory takes of the latency of a form that does more. */
void resolve_find_plain(struct machine_costs *costs);
/* Cycles from the address to the first operand in a plain load of this shape; NaN where none is known. */
double resolve_plain_load(const struct machine_costs *costs, const char *form);
/* Cycles from the stored register to memory in a plain store. */
double resolve_plain_store(const struct machine_costs *costs, const char *form);
#endif
