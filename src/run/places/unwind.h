/* The callers of a sample, from its registers and a copy of the top of its stack. */
#ifndef RUN_PLACES_UNWIND_H
#define RUN_PLACES_UNWIND_H
#include "run/places/loaded.h"

struct places_registers {
    uint8_t isa; /* enum isa: X86_64, I386 or AARCH64 */
    /* DWARF numbers of the ISA; after the general ones (16, 8, or 32 with sp) the instruction's address.
       AArch64: in the order of perf_event_open (x0 … x30, sp, pc). */
    uint64_t values[33];
};

/* What a sample has of a stack. */
struct places_stack {
    const struct places_registers *registers;
    uint64_t address; /* of the copy in memory */
    const uint8_t *bytes;
    size_t size;
    const uint64_t *chain; /* found by somebody else through frame pointers, the leaf first; NULL: none */
    size_t chain_count;
};

/* The code at an address of a process. */
struct places_code {
    struct unwind_file *rules; /* NULL: none (run/places/unwind_file.h) */
    uint64_t bias;             /* address in memory - address in the file */
    uint32_t number;           /* for whoever finds code */
};
/* false: there is no code at the address. */
typedef bool places_find_code(void *context, uint64_t address, struct places_code *code);

struct places_frame {
    uint64_t address; /* in memory: of the instruction itself, or of what follows a call */
    bool is_call;     /* of what follows a call */
    bool is_code;     /* `code` was found, for the instruction or the call itself */
    struct places_code code;
};
/* The leaf first; at least one, unless most is 0.  is_cut: there are more callers, which are unknown. */
size_t places_walk(const struct places_stack *stack, places_find_code *find, void *context,
                   struct places_frame *frames, size_t most, bool *is_cut);

/* unwind_loaded.c: the same in modules that do not change (of struct places_loaded), which stay, in order of
   their addresses, as long as the unwinder. */
struct places_unwinder;
struct places_unwinder *places_unwinder_make(const struct array *modules);
void places_unwinder_free(struct places_unwinder *unwinder);
/* Of the instruction itself, then of what follows each call; the number of them. */
size_t places_unwind(struct places_unwinder *unwinder, const struct places_registers *registers,
                     uint64_t stack_address, const uint8_t *stack, size_t stack_size, uint64_t *addresses,
                     size_t most);
#endif
