/* Where the caller's registers are: DWARF expressions of call frame information, on saved registers and a
   copy of the stack. */
#ifndef WATCH_UNWIND_RULES_H
#define WATCH_UNWIND_RULES_H
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNWIND_REGISTERS = 17 };

struct unwind_state {
    bool is_64;
    uint64_t values[UNWIND_REGISTERS];
    uint32_t known; /* bit n: values[n] is known */
    uint64_t stack_address;
    const uint8_t *stack;
    size_t stack_size;
};

/* A number of 1 … 8 bytes of the stack; false: it was not copied. */
bool unwind_read(const struct unwind_state *state, uint64_t address, unsigned bytes, uint64_t *value);
/* The canonical frame address. */
bool unwind_frame_address(const struct unwind_state *state, Dwarf_Frame *frame, uint64_t *address);
/* A register of the caller. false: unknown. */
bool unwind_register(const struct unwind_state *state, Dwarf_Frame *frame, uint64_t frame_address,
                     unsigned number, uint64_t *value);
#endif
