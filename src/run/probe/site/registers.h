/* Registers of the model as encodings number them (run/probe/action.h). */
#ifndef RUN_PROBE_SITE_REGISTERS_H
#define RUN_PROBE_SITE_REGISTERS_H
#include "model/model.h"
#include "run/probe/action.h"

/* The number of the general register that this one is a part of, PROBE_NO_REGISTER for all others. */
uint8_t probe_general_number(const struct model *model, uint32_t register_row);
/* The same for vector registers. */
uint8_t probe_vector_number(const struct model *model, uint32_t register_row);
/* General registers that an encoding writes, a bit for each number; *touched gets those that it reads, too.
 */
uint32_t probe_written(const struct model *model, uint32_t encoding, uint32_t *touched);
/* The row of a register by its name, in capitals or not; 0 for none. */
uint32_t probe_register_named(const struct model *model, enum isa isa, const char *name);
#endif
