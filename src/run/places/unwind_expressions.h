/* Where the caller's registers are: DWARF expressions of call frame information, on saved registers and a
   copy of the stack. */
#ifndef RUN_PLACES_UNWIND_EXPRESSIONS_H
#define RUN_PLACES_UNWIND_EXPRESSIONS_H
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { UNWIND_REGISTERS = 33 };

/* What matters of an instruction set: the numbers of registers, and the size of a word. */
struct unwind_isa {
    uint16_t machine;           /* e_machine */
    uint8_t word;               /* bytes */
    uint8_t stack, frame, here; /* stack pointer, frame pointer, the instruction's address */
    uint8_t link;               /* where calls leave the return address; 255: on the stack */
};

struct unwind_state {
    const struct unwind_isa *isa;
    uint64_t values[UNWIND_REGISTERS];
    uint64_t known; /* bit n: values[n] is known; an unknown stack pointer is at least its value */
    uint64_t stack_address;
    const uint8_t *stack;
    size_t stack_size;
};

/* A number of 1 … 8 bytes of the stack; false: it was not copied. */
static inline bool unwind_read(const struct unwind_state *state, uint64_t address, unsigned bytes,
                               uint64_t *value)
{
    uint64_t offset = address - state->stack_address;
    if (address < state->stack_address || bytes > state->stack_size || offset > state->stack_size - bytes)
        return false;
    *value = 0; /* both the program and we are little-endian */
    memcpy(value, state->stack + offset, bytes);
    return true;
}
/* The canonical frame address. */
bool unwind_frame_address(const struct unwind_state *state, Dwarf_Frame *frame, uint64_t *address);
enum unwind_value { UNWIND_KNOWN, UNWIND_UNKNOWN, UNWIND_UNDEFINED /* there is none */ };
/* A register of the caller. */
enum unwind_value unwind_register(const struct unwind_state *state, Dwarf_Frame *frame,
                                  uint64_t frame_address, unsigned number, uint64_t *value);
#endif
