/* Values by name: registers, and variables where the debug information places them. */
#ifndef RUN_PROBE_SITE_VALUE_H
#define RUN_PROBE_SITE_VALUE_H
#include "run/probe/action.h"
#include "run/probe/site/frame_address.h"

struct probe_named_value {
    struct probe_source source;
    uint8_t width; /* bytes */
    bool is_signed, is_float, is_address;
    uint8_t register_kind; /* enum register_kind: of numbers in memory, GENERAL */
    uint32_t variable;     /* row; 0: a register */
    string_id name;
};

struct probe_value_finder {
    const struct model *model;
    struct frame_addresses frames;
    uint32_t *first; /* by function: its first variable; 0: none */
    uint32_t *next;  /* by variable: the next of its function */
};

void probe_values_begin(struct probe_value_finder *values, const struct model *model);
void probe_values_end(struct probe_value_finder *values);

/* A register by its name, or a variable, as it is before an instruction. */
bool probe_value_at(struct probe_value_finder *values, uint32_t instruction, const char *name,
                    struct probe_named_value *value, struct error *error);
/* A parameter at the entry of its function; false if it cannot be found there.  Fortran: scalars that are
   passed by reference are the numbers after them. */
bool probe_value_of_parameter(struct probe_value_finder *values, uint32_t variable, uint32_t entry,
                              struct probe_named_value *value);
/* The argument register at a position, from 1, of integers and addresses; false: there are not so many. */
bool probe_value_of_argument(const struct probe_value_finder *values, enum isa isa, unsigned position,
                             struct probe_named_value *value);
/* A register of that name; false: there is none, or it holds no number. */
bool probe_value_of_register(const struct model *model, enum isa isa, const char *name,
                             struct probe_named_value *value);
#endif
