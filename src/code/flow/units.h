/* The registers of an ISA as units of data flow.

   A unit is defined and used as a whole: a full register (rax, z0, f32), or a single bit of a register that
   has names for its bits (zf, p16).  Units are numbered from 0 in the order of their rows in the table
   registers.  The instruction pointer, the x87 stack (whose names rotate with every push and pop) and
   registers with a constant value are not units.

   unit_abi has the facts of abi.def about each. */
#ifndef CODE_FLOW_UNITS_H
#define CODE_FLOW_UNITS_H
#include "model/model.h"

enum { NO_UNIT = UINT16_MAX };

enum abi_set {
    ABI_STACK = 1,
    ABI_CONSTANT = 2,
    ABI_ARGUMENT = 4,
    ABI_CLOBBERED = 8,
    ABI_RETURNED = 16,
    ABI_PRESERVED = 32,
    ABI_POINTER = 64,
    ABI_MAYBE_RETURNED = 128,
    ABI_SYSTEM_READ = 256,
    ABI_SYSTEM_WRITTEN = 512,
};

struct units {
    enum isa isa;
    uint32_t first_register, register_count; /* rows of the table registers */
    uint16_t count;
    uint16_t *of_register; /* by row - first_register; NO_UNIT */
    uint32_t *registers;   /* by unit: its row */
    uint16_t *abi;         /* by unit: enum abi_set */
    uint8_t *kind;         /* by unit: enum register_kind */
    uint16_t *bits;        /* by unit */
    uint8_t *has_bits;     /* by row - first_register: has named bits, which are units */
    uint16_t stack;        /* the stack pointer, or NO_UNIT */
    /* IA-64: units of r32, f32, p16 where those and what follows them (96, 96, 48) are consecutive. */
    uint16_t stacked, floats, predicates;
};

void units_make(struct units *units, const struct model *model, enum isa isa);
void units_free(struct units *units);
static inline uint16_t units_of(const struct units *units, uint32_t row)
{
    return row >= units->first_register && row - units->first_register < units->register_count
               ? units->of_register[row - units->first_register]
               : (uint16_t)NO_UNIT;
}
/* Units that an access of this register touches: calls it for each. */
typedef void unit_visit(void *context, uint16_t unit);
void units_each(const struct units *units, const struct model *model, uint32_t row, unit_visit *visit,
                void *context);
/* The unit of this name, or NO_UNIT. */
uint16_t units_named(const struct units *units, const struct model *model, const char *name);
#endif
