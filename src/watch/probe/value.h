/* Values by name: registers, and variables where the debug information places them. */
#ifndef WATCH_VALUE_H
#define WATCH_VALUE_H
#include "watch/probe/action.h"
#include "watch/probe/frame_address.h"

struct watch_value {
    struct watch_source source;
    uint8_t width; /* bytes */
    bool is_signed, is_float, is_address;
    uint8_t register_kind; /* enum register_kind: of numbers in memory, GENERAL */
    uint32_t variable;     /* row; 0: a register */
    string_id name;
};

struct watch_values {
    const struct model *model;
    struct frame_addresses frames;
    uint32_t *first; /* by function: its first variable; 0: none */
    uint32_t *next;  /* by variable: the next of its function */
};

void watch_values_begin(struct watch_values *values, const struct model *model);
void watch_values_end(struct watch_values *values);

/* A register by its name, or a variable, as it is before an instruction. */
bool watch_value_at(struct watch_values *values, uint32_t instruction, const char *name,
                    struct watch_value *value, struct error *error);
/* A parameter at the entry of its function; false if it cannot be found there.  Fortran: scalars that are
   passed by reference are the numbers after them. */
bool watch_value_of_parameter(struct watch_values *values, uint32_t variable, uint32_t entry,
                              struct watch_value *value);
/* The argument register at a position, from 1, of integers and addresses; false: there are not so many. */
bool watch_value_of_argument(const struct watch_values *values, enum isa isa, unsigned position,
                             struct watch_value *value);
#endif
