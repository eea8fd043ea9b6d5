/* Steps from a function to its caller by the call frame information of one file (.eh_frame, .debug_frame).

   Samples come from the same code again and again, a thousand a second and thread, with 10 or 20 callers
   each.  So the rule of an address is worked out once (unwind_rule.c) and kept by address: a step is then a
   look into a hash table and some words of the stack, about 50 ns on a Neoverse V1.

   The file is opened once.  A file that is no longer the one that was loaded (another build-id) has no rules.
   Linkers write none for the stubs of the procedure linkage table on AArch64, and some none at all: there the
   caller is known from what such stubs look like. */
#include "run/places/unwind_file.h"

#include "base/memory.h"
#include "base/strings.h"
#include "run/launch/elf_file.h"
#include "run/places/unwind_rule.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MOST_RULES = 1 << 20, MOST_STUBS = 4 };

/* Has the address, unlike a slot of base/hash_index.h: a step is one cache line less. */
struct rule_slot {
    uint64_t address;
    uint32_t rule; /* place + 1; 0: empty */
};

struct unwind_file {
    uint16_t machine;
    struct elf_file file;
    char *image; /* of the vdso; NULL: it is a file */
    Dwarf *dwarf;
    Dwarf_CFI *exceptions, *debug; /* .eh_frame, .debug_frame; NULL: there is none */
    struct stubs {
        uint64_t start, end;
    } stubs[MOST_STUBS]; /* procedure linkage tables */
    unsigned stub_count;
    struct rule_slot *slots;
    size_t slot_count;
    struct array rules; /* of struct unwind_rule, one for each address that was asked for */
};

/* ---- the file ---- */

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
    build_id[0] = 0;
    for (ssize_t i = 0; i < size && i < 20; i++)
        snprintf(build_id + 2 * i, 3, "%02x", ((const uint8_t *)id)[i]);
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
        uint64_t stop = header.p_offset + header.p_filesz;
        uint64_t first = header.p_offset > offset ? header.p_offset - offset : 0;
        uint64_t end = stop > offset ? stop - offset : 0;
        end = end < size ? end : size;
        if (first < end && end - first > most) {
            most = end - first;
            address = offset + (header.p_vaddr - header.p_offset);
        }
    }
    return address;
}

static void find_stubs(struct unwind_file *file)
{
    Elf *elf = file->file.elf;
    GElf_Shdr header;
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) && file->stub_count < MOST_STUBS;) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && header.sh_flags & SHF_EXECINSTR && (!strncmp(name, ".plt", 4) || !strcmp(name, ".iplt")))
            file->stubs[file->stub_count++] = (struct stubs){header.sh_addr, header.sh_addr + header.sh_size};
    }
}

/* A run may have more files than a process may have open. */
static void keep_without_descriptor(struct elf_file *file)
{
    if (!file->elf || file->descriptor < 0 || elf_cntl(file->elf, ELF_C_FDREAD))
        return;
    close(file->descriptor);
    file->descriptor = -1;
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
    find_stubs(file);
}

/* Of our own process.  The section headers are its last part. */
static void open_vdso(struct unwind_file *file)
{
    const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);
    file->file.descriptor = -1;
    if (!header)
        return;
    elf_version(EV_CURRENT);
    size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    file->image = memory_copy_text((const char *)header, size);
    file->file.elf = elf_memory(file->image, size);
}

static bool is_vdso(const char *path)
{
    return path && (!strcmp(path, "[vdso]") || !strncmp(path, "linux-vdso.", 11));
}

struct unwind_file *unwind_file_open(const char *path, const char *build_id)
{
    struct unwind_file *file = memory_get(sizeof *file);
    file->rules = ARRAY_OF(struct unwind_rule);
    if (is_vdso(path))
        open_vdso(file);
    else
        file->file = elf_file_open(path && path[0] == '/' ? path : NULL, INT64_MAX);
    keep_without_descriptor(&file->file);
    read_rules(file, build_id);
    return file;
}

static void forget_rules(struct unwind_file *file)
{
    for (size_t i = 0; i < file->rules.count; i++)
        unwind_rule_free(ARRAY_AT(struct unwind_rule, &file->rules, i));
    array_free(&file->rules);
    free(file->slots);
    file->slots = NULL;
    file->slot_count = 0;
    file->rules = ARRAY_OF(struct unwind_rule);
}

void unwind_file_close(struct unwind_file *file)
{
    if (!file)
        return;
    forget_rules(file);
    if (file->exceptions)
        dwarf_cfi_end(file->exceptions);
    if (file->dwarf)
        dwarf_end(file->dwarf);
    elf_file_close(&file->file);
    free(file->image);
    free(file);
}

bool unwind_file_code(const struct unwind_file *file, uint64_t address, uint32_t *word)
{
    GElf_Phdr header;
    size_t count = 0, size = 0;
    const char *bytes = unwind_file_is_elf(file) ? elf_rawfile(file->file.elf, &size) : NULL;
    if (!bytes || elf_getphdrnum(file->file.elf, &count))
        return false;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        if (!gelf_getphdr(file->file.elf, (int)i, &header) || header.p_type != PT_LOAD ||
            !(header.p_flags & PF_X) || address < header.p_vaddr || header.p_filesz < sizeof *word ||
            address - header.p_vaddr > header.p_filesz - sizeof *word)
            continue;
        uint64_t offset = header.p_offset + (address - header.p_vaddr);
        if (offset < header.p_offset || size < sizeof *word || offset > size - sizeof *word)
            return false;
        memcpy(word, bytes + offset, sizeof *word);
        return true;
    }
    return false;
}

/* ---- rules ---- */

static void rule_of_stub(const struct unwind_file *file, const struct unwind_isa *isa, uint64_t address,
                         struct unwind_rule *rule)
{
    static const uint32_t PUSH_LINK = 0xa9bf7bf0; /* stp x16, x30, [sp, #-16]!, in the first stub only */
    enum { FIRST_STUB = 32 /* bytes, of AArch64 */ };
    enum { SIZE = 16, FIRST_PUSH = 6, PUSH = 11 /* bytes of x86 up to the end of a push */ };
    for (unsigned i = 0; i < file->stub_count; i++) {
        const struct stubs *stubs = &file->stubs[i];
        if (address < stubs->start || address >= stubs->end)
            continue;
        uint64_t offset = address - stubs->start;
        int32_t pushed = 0;
        if (isa->link == UINT8_MAX) {
            pushed = isa->word * (1 + (offset >= SIZE ? offset % SIZE >= PUSH : 1 + (offset >= FIRST_PUSH)));
        } else {
            uint32_t word;
            for (uint64_t at = stubs->start; at < address && offset < FIRST_STUB; at += 4)
                pushed += unwind_file_code(file, at, &word) && word == PUSH_LINK ? 16 : 0;
        }
        unwind_rule_of_leaf(rule, isa, pushed);
        return;
    }
}

/* The kernel's return from a signal handler has no rules on some systems: mov x8, #139; svc #0.  The handler
   seems to have been called by what stands before it. */
static bool is_signal_return(const struct unwind_file *file, uint64_t address)
{
    uint32_t first, second;
    uint64_t at = (address + 1) / 4 * 4;
    return file->machine == EM_AARCH64 && unwind_file_code(file, at, &first) && first == 0xd2801168 &&
           unwind_file_code(file, at + 4, &second) && second == 0xd4000001;
}

/* A return as the very instruction: everything is the caller's already.  Not all compilers describe the end
   of a function. */
static bool is_return(const struct unwind_file *file, uint64_t address)
{
    uint32_t word;
    if (!unwind_file_code(file, address, &word))
        return false;
    if (file->machine == EM_AARCH64)
        return word == 0xd65f03c0 || (word & 0xfffffbff) == 0xd65f0bff; /* ret, retaa, retab */
    return (word & 0xff) == 0xc3 || (word & 0xff) == 0xc2 || (word & 0xffff) == 0xc3f3;
}

static void make_rule(const struct unwind_file *file, const struct unwind_isa *isa, uint64_t address,
                      bool is_leaf, struct unwind_rule *rule)
{
    Dwarf_Frame *frame = NULL;
    *rule = (struct unwind_rule){.kind = UNWIND_RULE_NONE};
    if (is_leaf && is_return(file, address))
        unwind_rule_of_leaf(rule, isa, isa->link == UINT8_MAX ? isa->word : 0);
    else if ((file->exceptions && !dwarf_cfi_addrframe(file->exceptions, address, &frame)) ||
             (file->debug && !dwarf_cfi_addrframe(file->debug, address, &frame)))
        unwind_rule_of_frame(rule, isa, frame);
    else if (is_signal_return(file, address))
        rule->kind = UNWIND_RULE_SIGNAL;
    else
        rule_of_stub(file, isa, address, rule);
}

static void grow(struct unwind_file *file)
{
    size_t old = file->slot_count, mask;
    struct rule_slot *slots = file->slots;
    file->slot_count = old ? old * 2 : 256;
    file->slots = memory_get(file->slot_count * sizeof *slots);
    mask = file->slot_count - 1;
    for (size_t i = 0; i < old; i++) {
        if (!slots[i].rule)
            continue;
        size_t at = hash_mix(0, slots[i].address) >> 20 & mask;
        while (file->slots[at].rule)
            at = (at + 1) & mask;
        file->slots[at] = slots[i];
    }
    free(slots);
}

/* Leaves and callers have different addresses: a caller's is that of its call's last byte. */
static const struct unwind_rule *rule_at(struct unwind_file *file, const struct unwind_isa *isa,
                                         uint64_t address, bool is_leaf)
{
    if (file->rules.count >= file->slot_count / 2) {
        if (file->rules.count >= MOST_RULES)
            forget_rules(file);
        grow(file);
    }
    size_t mask = file->slot_count - 1, at = hash_mix(0, address) >> 20 & mask;
    while (file->slots[at].rule && file->slots[at].address != address)
        at = (at + 1) & mask;
    if (file->slots[at].rule)
        return ARRAY_AT(struct unwind_rule, &file->rules, file->slots[at].rule - 1);
    struct unwind_rule *rule = array_push(&file->rules);
    file->slots[at] = (struct rule_slot){address, (uint32_t)file->rules.count};
    make_rule(file, isa, address, is_leaf, rule);
    return rule;
}

enum unwind_step unwind_file_step(struct unwind_file *file, uint64_t address, bool is_leaf,
                                  struct unwind_state *state)
{
    if (file->machine != state->isa->machine)
        return UNWIND_NO_RULE;
    return unwind_rule_step(rule_at(file, state->isa, address, is_leaf), is_leaf, state);
}

bool unwind_file_has_rule(struct unwind_file *file, uint64_t address, const struct unwind_isa *isa)
{
    return file->machine == isa->machine && rule_at(file, isa, address, true)->kind != UNWIND_RULE_NONE;
}
