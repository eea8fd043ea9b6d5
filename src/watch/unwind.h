/* The callers of a sample, from its registers and a copy of the top of its stack. */
#ifndef WATCH_UNWIND_H
#define WATCH_UNWIND_H
#include "watch/loaded.h"

/* By the call frame information of the modules (of struct watch_loaded).  The modules must stay, in order of
 * their addresses, as long as the unwinder.
 */
struct watch_registers {
    uint8_t isa; /* enum isa: X86_64, I386 or AARCH64 */
    /* DWARF numbers of the ISA; behind the general ones (16, 8, or 32 with sp) the instruction's address.
       AArch64: in the order of perf_event_open (x0 … x30, sp, pc). */
    uint64_t values[33];
};
struct watch_unwinder;
struct watch_unwinder *watch_unwinder_make(const struct array *modules);
void watch_unwinder_free(struct watch_unwinder *unwinder);
/* Of the instruction itself, then of what follows each call; the number of them. */
size_t watch_unwind(struct watch_unwinder *unwinder, const struct watch_registers *registers,
                    uint64_t stack_address, const uint8_t *stack, size_t stack_size, uint64_t *addresses,
                    size_t most);
#endif
