/* Registers of the model as encodings number them (watch/probe/action.h). */
#ifndef WATCH_REGISTERS_H
#define WATCH_REGISTERS_H
#include "model/model.h"
#include "watch/probe/action.h"

/* The number of the general register that this one is a part of, WATCH_NO_REGISTER for all others. */
uint8_t watch_general_number(const struct model *model, uint32_t register_row);
/* The same for vector registers. */
uint8_t watch_vector_number(const struct model *model, uint32_t register_row);
/* General registers that an encoding writes, a bit for each number; *touched gets those that it reads, too.
 */
uint32_t watch_written(const struct model *model, uint32_t encoding, uint32_t *touched);
/* The row of a register by its name, in capitals or not; 0 for none. */
uint32_t watch_register_named(const struct model *model, enum isa isa, const char *name);
#endif
