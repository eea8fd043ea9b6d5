/* Steps from a function to its caller by the call frame information of one file (.eh_frame, .debug_frame).

   The file is opened once.  A file that is no longer the one that was loaded (another build-id) has no
   rules. */
#include "watch/unwind_file.h"

#include "base/memory.h"
#include "watch/elf_file.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct unwind_file {
    uint16_t machine;
    struct elf_file file;
    char *image; /* of the vdso; NULL: it is a file */
    Dwarf *dwarf;
    Dwarf_CFI *exceptions, *debug; /* .eh_frame, .debug_frame; NULL: there is none */
};

static bool is_same_build(Elf *elf, const char *build_id)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
    if (!build_id || !build_id[0])
        return true;
    if (size <= 0 || (size_t)size * 2 != strlen(build_id))
        return false;
    for (ssize_t i = 0; i < size; i++) {
        char digits[3] = {build_id[2 * i], build_id[2 * i + 1]};
        if (strtoul(digits, NULL, 16) != ((const uint8_t *)id)[i])
            return false;
    }
    return true;
}

bool unwind_file_is_elf(const struct unwind_file *file)
{
    return file->file.elf && elf_kind(file->file.elf) == ELF_K_ELF;
}

void unwind_file_build_id(const struct unwind_file *file, char build_id[41])
{
    const void *id;
    ssize_t size = unwind_file_is_elf(file) ? dwelf_elf_gnu_build_id(file->file.elf, &id) : 0;
    for (ssize_t i = 0; i < size && i < 20; i++)
        snprintf(build_id + 2 * i, 3, "%02x", ((const uint8_t *)id)[i]);
    if (size <= 0)
        build_id[0] = 0;
}

uint64_t unwind_file_address(const struct unwind_file *file, uint64_t offset, uint64_t size)
{
    GElf_Phdr header;
    size_t count = 0;
    uint64_t address = offset, most = 0;
    if (!file || !unwind_file_is_elf(file) || elf_getphdrnum(file->file.elf, &count))
        return offset;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        if (!gelf_getphdr(file->file.elf, (int)i, &header) || header.p_type != PT_LOAD ||
            !(header.p_flags & PF_X))
            continue;
        uint64_t first = header.p_offset > offset ? header.p_offset - offset : 0;
        uint64_t end =
            header.p_offset + header.p_filesz > offset ? header.p_offset + header.p_filesz - offset : 0;
        end = end < size ? end : size;
        if (first < end && end - first > most) {
            most = end - first;
            address = offset + (header.p_vaddr - header.p_offset);
        }
    }
    return address;
}

static void read_rules(struct unwind_file *file, const char *build_id)
{
    GElf_Ehdr header;
    Elf *elf = file->file.elf;
    if (!unwind_file_is_elf(file) || !gelf_getehdr(elf, &header) || !is_same_build(elf, build_id))
        return;
    if (header.e_machine != EM_X86_64 && header.e_machine != EM_386 && header.e_machine != EM_AARCH64)
        return;
    file->machine = header.e_machine;
    file->exceptions = dwarf_getcfi_elf(elf);
    file->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    file->debug = file->dwarf ? dwarf_getcfi(file->dwarf) : NULL;
}

struct unwind_file *unwind_file_open(const char *path, const char *build_id)
{
    struct unwind_file *file = memory_get(sizeof *file);
    file->file = elf_file_open(path && path[0] == '/' ? path : NULL, INT64_MAX);
    read_rules(file, build_id);
    return file;
}

/* The section headers are its last part. */
struct unwind_file *unwind_file_open_own_vdso(void)
{
    struct unwind_file *file = memory_get(sizeof *file);
    const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);
    file->file.descriptor = -1;
    if (!header)
        return file;
    elf_version(EV_CURRENT);
    size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    file->image = memory_copy_text((const char *)header, size);
    file->file.elf = elf_memory(file->image, size);
    read_rules(file, NULL);
    return file;
}

void unwind_file_close(struct unwind_file *file)
{
    if (!file)
        return;
    if (file->exceptions)
        dwarf_cfi_end(file->exceptions);
    if (file->dwarf)
        dwarf_end(file->dwarf);
    elf_file_close(&file->file);
    free(file->image);
    free(file);
}

/* To be freed; NULL: unknown. */
static Dwarf_Frame *frame_at(const struct unwind_file *file, uint64_t address)
{
    Dwarf_Frame *frame = NULL;
    if (file->exceptions && !dwarf_cfi_addrframe(file->exceptions, address, &frame))
        return frame;
    if (file->debug && !dwarf_cfi_addrframe(file->debug, address, &frame))
        return frame;
    return NULL;
}

/* Stacks grow downwards: the frame of who called something lies above the stack pointer. */
static bool is_above(const struct unwind_state *state, uint64_t frame_address, bool is_leaf)
{
    const struct unwind_isa *isa = state->isa;
    if (!(state->known >> isa->stack & 1))
        return true;
    uint64_t stack = state->values[isa->stack];
    return frame_address > stack || (is_leaf && isa->link != UINT8_MAX && frame_address == stack);
}

static enum unwind_step step_by_rules(struct unwind_state *state, Dwarf_Frame *frame, bool is_leaf)
{
    const struct unwind_isa *isa = state->isa;
    struct unwind_state caller = *state;
    uint64_t frame_address;
    bool is_signal = false;
    int return_register = dwarf_frame_info(frame, NULL, NULL, &is_signal);
    if (return_register < 0 || return_register >= UNWIND_REGISTERS ||
        !unwind_frame_address(state, frame, &frame_address))
        return UNWIND_LOST;
    caller.known = 0;
    for (unsigned i = 0; i < isa->here; i++)
        if (unwind_register(state, frame, frame_address, i, &caller.values[i]) == UNWIND_KNOWN)
            caller.known |= UINT64_C(1) << i;
    if (!is_signal) {
        if (!is_above(state, frame_address, is_leaf))
            return UNWIND_LOST;
        caller.values[isa->stack] = frame_address;
        caller.known |= UINT64_C(1) << isa->stack;
    }
    enum unwind_value kind =
        unwind_register(state, frame, frame_address, (unsigned)return_register, &caller.values[isa->here]);
    if (kind == UNWIND_UNDEFINED || (kind == UNWIND_KNOWN && !caller.values[isa->here]))
        return UNWIND_END;
    if (kind != UNWIND_KNOWN)
        return UNWIND_LOST;
    caller.known |= UINT64_C(1) << isa->here;
    *state = caller;
    return is_signal ? UNWIND_SIGNAL : UNWIND_CALLER;
}

enum unwind_step unwind_file_step(struct unwind_file *file, uint64_t address, bool is_leaf,
                                  struct unwind_state *state)
{
    Dwarf_Frame *frame = file->machine == state->isa->machine ? frame_at(file, address) : NULL;
    if (!frame)
        return UNWIND_NO_RULE;
    enum unwind_step step = step_by_rules(state, frame, is_leaf);
    free(frame);
    return step;
}
