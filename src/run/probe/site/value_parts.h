/* What the files that find values share. */
#ifndef RUN_PROBE_SITE_VALUE_PARTS_H
#define RUN_PROBE_SITE_VALUE_PARTS_H
#include "run/probe/site/value.h"

/* Where the code is that a location is taken for. */
struct value_place {
    struct probe_value_finder *values;
    uint32_t program;
    enum isa isa;
    uint64_t address;
};
struct value_place value_place_of(struct probe_value_finder *values, uint32_t instruction);

uint8_t value_stack_pointer(enum isa isa);
/* The stack pointer, and the register that usually points into the frame. */
bool value_is_of_frame(enum isa isa, uint8_t base);

/* Width, sign and format; false if a value of this type is not one number. */
bool value_set_format(const struct model *model, uint32_t type, struct probe_named_value *value);
/* The source: memory at a register plus a constant, in the value's format. */
void value_set_memory(struct probe_named_value *value, uint8_t base, int64_t displacement);
/* The location of a variable at an address, or NULL. */
const struct location *value_location(const struct model *model, uint32_t variable, uint64_t address);
/* The source, by a location; false if it is not a register and not at a fixed place. */
bool value_take_location(const struct value_place *place, const struct location *location,
                         struct probe_named_value *value);
#endif
