/* The callers of a sample.

   A sample has the registers and the top of the stack as they were. The call frame information of the file
   that contains an address gives the places of the caller's registers, mostly on the stack. Each step leads
   to the next caller, until an address is in no file, the copy of the stack ends, or a file has no caller
   there. Without call frame information the chain of frame pointers is followed, but only from one code
   address to another.

   Files are opened once for each run and closed at the end. A file that is no longer the one that was loaded
   (another build-id) is not used. */
#include "watch/unwind.h"

#include "watch/elf_file.h"
#include "watch/unwind_rules.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct frames { /* of a module's file */
    bool is_tried, is_64;
    struct elf_file file;
    Dwarf *dwarf;
    Dwarf_CFI *exceptions, *debug; /* .eh_frame, .debug_frame; NULL: there is none */
};

struct watch_unwinder {
    const struct array *modules;
    struct frames *frames; /* one for each */
};

struct watch_unwinder *watch_unwinder_make(const struct array *modules)
{
    struct watch_unwinder *unwinder = memory_get(sizeof *unwinder);
    unwinder->modules = modules;
    unwinder->frames = memory_get((modules->count + 1) * sizeof *unwinder->frames);
    return unwinder;
}

void watch_unwinder_free(struct watch_unwinder *unwinder)
{
    for (size_t i = 0; i < unwinder->modules->count; i++) {
        struct frames *frames = &unwinder->frames[i];
        if (!frames->is_tried)
            continue;
        if (frames->exceptions)
            dwarf_cfi_end(frames->exceptions);
        if (frames->dwarf)
            dwarf_end(frames->dwarf);
        elf_file_close(&frames->file);
    }
    free(unwinder->frames);
    free(unwinder);
}

/* ---- files ---- */

static bool is_same_build(Elf *elf, const struct watch_loaded *module)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
    if (!module->build_id[0])
        return true;
    if (size <= 0 || (size_t)size * 2 != strlen(module->build_id))
        return false;
    for (ssize_t i = 0; i < size; i++) {
        char digits[3] = {module->build_id[2 * i], module->build_id[2 * i + 1]};
        if (strtoul(digits, NULL, 16) != ((const uint8_t *)id)[i])
            return false;
    }
    return true;
}

static void try_file(struct frames *frames, const struct watch_loaded *module)
{
    GElf_Ehdr header;
    frames->is_tried = true;
    frames->file = elf_file_open(module->path && module->path[0] == '/' ? module->path : NULL, INT64_MAX);
    Elf *elf = frames->file.elf;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return;
    if ((header.e_machine != EM_X86_64 && header.e_machine != EM_386) || !is_same_build(elf, module))
        return;
    frames->is_64 = header.e_machine == EM_X86_64;
    frames->exceptions = dwarf_getcfi_elf(elf);
    frames->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    frames->debug = frames->dwarf ? dwarf_getcfi(frames->dwarf) : NULL;
}

/* To be freed; NULL: unknown. */
static Dwarf_Frame *frame_at(struct watch_unwinder *unwinder, uint64_t address, bool is_64)
{
    const struct watch_loaded *module = watch_loaded_at(unwinder->modules, address);
    if (!module)
        return NULL;
    struct frames *frames = &unwinder->frames[module - ARRAY_AT(struct watch_loaded, unwinder->modules, 0)];
    Dwarf_Frame *frame = NULL;
    if (!frames->is_tried)
        try_file(frames, module);
    if (frames->is_64 != is_64)
        return NULL;
    if (frames->exceptions && !dwarf_cfi_addrframe(frames->exceptions, address - module->bias, &frame))
        return frame;
    if (frames->debug && !dwarf_cfi_addrframe(frames->debug, address - module->bias, &frame))
        return frame;
    return NULL;
}

/* ---- steps ---- */

static unsigned address_register(const struct unwind_state *state)
{
    return state->is_64 ? 16 : 8;
}

static unsigned stack_register(const struct unwind_state *state)
{
    return state->is_64 ? 7 : 4;
}

static unsigned frame_register(const struct unwind_state *state)
{
    return state->is_64 ? 6 : 5;
}

/* By call frame information.  *is_exact: the caller was interrupted, not calling. */
static bool step_by_rules(struct unwind_state *state, Dwarf_Frame *frame, bool *is_exact)
{
    struct unwind_state caller = *state;
    uint64_t frame_address;
    bool is_signal = false;
    int return_register = dwarf_frame_info(frame, NULL, NULL, &is_signal);
    if (return_register < 0 || return_register >= UNWIND_REGISTERS ||
        !unwind_frame_address(state, frame, &frame_address))
        return false;
    caller.known = 0;
    for (unsigned i = 0; i < address_register(state); i++)
        if (unwind_register(state, frame, frame_address, i, &caller.values[i]))
            caller.known |= 1u << i;
    unsigned stack = stack_register(state), here = address_register(state);
    if (!is_signal) {
        if (state->known >> stack & 1 && frame_address <= state->values[stack])
            return false; /* stacks grow downwards: a caller's frame lies above */
        caller.values[stack] = frame_address;
        caller.known |= 1u << stack;
    }
    if (!unwind_register(state, frame, frame_address, (unsigned)return_register, &caller.values[here]) ||
        !caller.values[here])
        return false;
    caller.known |= 1u << here;
    *state = caller;
    *is_exact = is_signal;
    return true;
}

/* By the frame pointer: it points to the caller's, and the return address lies above that. */
static bool step_by_chain(const struct watch_unwinder *unwinder, struct unwind_state *state)
{
    unsigned word = state->is_64 ? 8 : 4, frame = frame_register(state), stack = stack_register(state);
    uint64_t outer, back;
    if (!(state->known >> frame & 1) || !(state->known >> stack & 1))
        return false;
    uint64_t at = state->values[frame];
    if (at < state->values[stack] || at % word || !unwind_read(state, at, word, &outer) ||
        !unwind_read(state, at + word, word, &back))
        return false;
    if (!watch_loaded_at(unwinder->modules, back))
        return false;
    state->values[frame] = outer;
    state->values[stack] = at + 2 * word;
    state->values[address_register(state)] = back;
    state->known = 1u << frame | 1u << stack | 1u << address_register(state);
    return true;
}

size_t watch_unwind(struct watch_unwinder *unwinder, const struct watch_registers *registers,
                    uint64_t stack_address, const uint8_t *stack, size_t stack_size, uint64_t *addresses,
                    size_t most)
{
    struct unwind_state state = {.is_64 = registers->isa != isa_I386,
                                 .stack_address = stack_address,
                                 .stack = stack,
                                 .stack_size = stack_size};
    unsigned here = address_register(&state);
    bool is_exact = true;
    size_t count = 0;
    memcpy(state.values, registers->values, sizeof state.values);
    state.known = (1u << (here + 1)) - 1;
    while (count < most) {
        uint64_t address = state.values[here];
        addresses[count++] = address;
        Dwarf_Frame *frame = frame_at(unwinder, address - !is_exact, state.is_64);
        is_exact = false;
        bool is_done = frame ? !step_by_rules(&state, frame, &is_exact) : !step_by_chain(unwinder, &state);
        free(frame);
        if (is_done)
            break;
    }
    return count;
}
