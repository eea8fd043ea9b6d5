/* Linkage stubs: which import does each stub of .plt, .plt.sec, .plt.got … jump to?

   A stub loads its target from a slot and jumps there; the slot's relocation names the import.  So a stub is
   decoded just far enough to find the slot.  The order of the relocations and the declared size of a stub do
   not matter.

     x86-64   [endbr64] [mov $n,%r11d] [bnd] jmp *slot(%rip)
     i386     [endbr32] jmp *slot            or  jmp *offset(%ebx), %ebx being the address of the GOT
     AArch64  [bti c] adrp x16, page; ldr x17, [x16, #offset]; …

   Entries of these sections that do not jump through a slot (the first one, which calls the dynamic linker,
   and the lazy halves of split tables) get bounds but no name. */
#include "code/read/elf/elf.h"

#include <stdio.h>
#include <stdlib.h>

struct stub_reader {
    struct elf *elf;
    uint64_t got;
    struct array functions; /* of uint32_t: symbols of functions by address, made when it is needed */
    bool is_sorted;
};

static int diff_functions(const void *left, const void *right, void *context)
{
    const struct symbol *a = model_symbol(context, *(const uint32_t *)left);
    const struct symbol *b = model_symbol(context, *(const uint32_t *)right);
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return *(const uint32_t *)left < *(const uint32_t *)right ? -1 : 1;
}

static void sort_functions(struct stub_reader *reader)
{
    struct model *model = reader->elf->model;
    reader->is_sorted = true;
    struct model_rows rows = MODEL_ROWS_OF(model, symbols, symbol, reader->elf->program);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct symbol *symbol = model_symbol(model, i);
        if (symbol->name && symbol->origin != origin_PLT)
            *(uint32_t *)array_add(&reader->functions) = i;
    }
    if (reader->functions.count)
        qsort_r(reader->functions.data, reader->functions.count, sizeof(uint32_t), diff_functions, model);
}

/* A global name rather than a local one, if there is any. */
static const char *function_at(struct stub_reader *reader, uint64_t address)
{
    struct model *model = reader->elf->model;
    if (!reader->is_sorted)
        sort_functions(reader);
    const uint32_t *functions = reader->functions.data;
    struct bisection search = {0, reader->functions.count};
    while (bisect(&search))
        bisect_past(&search, model_symbol(model, functions[search.middle])->address < address);
    string_id name = 0;
    for (size_t i = search.first; i < reader->functions.count; i++) {
        const struct symbol *symbol = model_symbol(model, functions[i]);
        if (symbol->address != address)
            break;
        if (!name || symbol->is_global)
            name = symbol->name;
        if (symbol->is_global)
            break;
    }
    return model_text(model, name);
}

/* A name such as malloc@plt, from the slot that the stub jumps through; 0 if no relocation fills it. */
static string_id stub_name(struct stub_reader *reader, uint64_t slot)
{
    struct elf *elf = reader->elf;
    const struct relocation *relocation = elf_relocation_at(elf, slot);
    if (!relocation)
        return 0;
    char number[40];
    const char *target = model_text(elf->model, relocation->symbol);
    if (!target && relocation->value != NO_ADDRESS)
        target = function_at(reader, relocation->value);
    if (!target) {
        snprintf(number, sizeof number, "*ABS*+0x%llx", (unsigned long long)relocation->value);
        target = number;
    }
    char *text = memory_format("%s@plt", target);
    string_id name = elf_name(elf, text);
    free(text);
    return name;
}

static void add_stub(struct stub_reader *reader, uint64_t address, uint64_t size, uint64_t slot)
{
    if (elf_take_entry(reader->elf))
        elf_new_symbol(reader->elf, slot == NO_ADDRESS ? 0 : stub_name(reader, slot), address, size,
                       origin_PLT);
}

static bool starts(struct cursor *cursor, const char *bytes, size_t size)
{
    if (cursor_left(cursor) < size || memcmp(cursor->at, bytes, size))
        return false;
    cursor->at += size;
    return true;
}

/* The slot that the stub at the cursor jumps through, or NO_ADDRESS. */
static uint64_t x86_slot(const struct stub_reader *reader, struct cursor cursor, uint64_t address)
{
    const uint8_t *start = cursor.at;
    bool is_64 = reader->elf->isa == isa_X86_64 || reader->elf->isa == isa_K1OM;
    starts(&cursor, is_64 ? "\xf3\x0f\x1e\xfa" : "\xf3\x0f\x1e\xfb", 4);
    if (is_64 && starts(&cursor, "\x41\xbb", 2))
        cursor_skip(&cursor, 4);
    starts(&cursor, "\xf2", 1);
    bool is_absolute = starts(&cursor, "\xff\x25", 2);
    bool is_based = !is_absolute && !is_64 && starts(&cursor, "\xff\xa3", 2);
    if (!is_absolute && !is_based)
        return NO_ADDRESS;
    uint64_t displacement = (uint64_t)cursor_signed(&cursor, 4);
    if (cursor.failed)
        return NO_ADDRESS;
    if (is_64)
        return address + (uint64_t)(cursor.at - start) + displacement;
    return (displacement + (is_based ? reader->got : 0)) & UINT32_MAX;
}

static void read_x86_section(struct stub_reader *reader, const struct elf_section *section)
{
    bool is_real = section->is_plt;
    uint64_t step = section->entry_size;
    if (step != 8 && step != 16)
        step = !is_real || !strcmp(section->name, ".plt.got") ? 8 : 16;
    for (uint64_t offset = 0; offset < section->contents.size; offset += step) {
        struct cursor cursor = {section->contents.data + offset,
                                section->contents.data + section->contents.size, false};
        uint64_t address = section->address + offset, left = section->contents.size - offset;
        uint64_t slot = x86_slot(reader, cursor, address);
        if (is_real)
            add_stub(reader, address, left < step ? left : step, slot);
        else if (slot != NO_ADDRESS && elf_relocation_at(reader->elf, slot))
            add_stub(reader, address, 0, slot);
    }
}

static uint32_t word_at(const struct elf_section *section, uint64_t offset)
{
    if (offset >= section->contents.size || section->contents.size - offset < 4)
        return 0;
    uint32_t word;
    memcpy(&word, section->contents.data + offset, 4);
    return word;
}

/* The slot of an `adrp x16` and `ldr x17, [x16, #…]` pair at offset, or NO_ADDRESS. */
static uint64_t aarch64_slot(const struct elf_section *section, uint64_t offset)
{
    uint32_t page = word_at(section, offset), load = word_at(section, offset + 4);
    if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
        return NO_ADDRESS;
    uint64_t pages = (page >> 29 & 3) | (page >> 5 & 0x7ffff) << 2;
    if (pages & 0x100000)
        pages |= ~UINT64_C(0x1fffff);
    uint64_t base = (section->address + offset) & ~UINT64_C(0xfff);
    return base + (pages << 12) + (load >> 10 & 0xfff) * 8;
}

/* Adds the code between two stubs: the earlier stub, which ends with `br x17` and padding, and code of
   another kind if there is more (the first entry, or the one for thread-local storage). */
static void add_aarch64_stub(struct stub_reader *reader, const struct elf_section *section, uint64_t start,
                             uint64_t end, uint64_t slot)
{
    enum { BRANCH = 0xd61f0220, NOP = 0xd503201f };
    uint64_t middle = slot == NO_ADDRESS ? start : start + 8;
    while (slot != NO_ADDRESS && middle < end && word_at(section, middle - 4) != (uint32_t)BRANCH)
        middle += 4;
    while (middle > start && middle < end && word_at(section, middle) == (uint32_t)NOP)
        middle += 4;
    if (middle > start)
        add_stub(reader, section->address + start, middle - start, slot);
    if (middle < end)
        add_stub(reader, section->address + middle, end - middle, NO_ADDRESS);
}

static void read_aarch64_section(struct stub_reader *reader, const struct elf_section *section)
{
    enum { BTI_C = 0xd503245f, STORE_LINK = 0xa9bf7bf0 };
    uint64_t start = 0, slot = NO_ADDRESS, size = section->contents.size;
    for (uint64_t offset = 0; offset < size; offset += 4) {
        uint64_t found = aarch64_slot(section, offset);
        uint32_t before = offset ? word_at(section, offset - 4) : 0;
        if (found == NO_ADDRESS || before == (uint32_t)STORE_LINK)
            continue;
        uint64_t begin = before == (uint32_t)BTI_C ? offset - 4 : offset;
        if (section->is_plt)
            add_aarch64_stub(reader, section, start, begin, slot);
        else if (elf_relocation_at(reader->elf, found))
            add_stub(reader, section->address + begin, 0, found);
        start = begin;
        slot = found;
    }
    if (section->is_plt)
        add_aarch64_stub(reader, section, start, size, slot);
}

enum { IA64_BUNDLE = 16, IA64_STUB = 2 * IA64_BUNDLE };

/* A stub is two bundles, the first of which starts with addl r15 = distance of the slot from gp, gp. */
static uint64_t ia64_slot(const struct stub_reader *reader, const uint8_t *bundle)
{
    struct cursor cursor = {bundle, bundle + 8, false};
    uint64_t word = cursor_number(&cursor, 8) >> 5;
    bool is_addition = (word >> 37 & 15) == 9 && (word >> 20 & 3) == 1 && (word >> 6 & 127) == 15;
    if (!is_addition || !reader->got)
        return NO_ADDRESS;
    uint64_t distance = (word >> 13 & 127) | (word >> 27 & 511) << 7 | (word >> 22 & 31) << 16;
    return reader->got + distance - ((word >> 36 & 1) << 21);
}

static void read_ia64_section(struct stub_reader *reader, const struct elf_section *section)
{
    uint64_t offset = 0,
             other = 0; /* nothing names a slot from other to offset: this is the part that binds slots */
    while (section->is_plt && offset + IA64_STUB <= section->contents.size) {
        uint64_t slot = ia64_slot(reader, section->contents.data + offset);
        if (slot == NO_ADDRESS || !elf_relocation_at(reader->elf, slot)) {
            offset += IA64_BUNDLE;
            continue;
        }
        if (other < offset)
            add_stub(reader, section->address + other, offset - other, NO_ADDRESS);
        add_stub(reader, section->address + offset, IA64_STUB, slot);
        other = offset += IA64_STUB;
    }
}

void elf_read_linkage_stubs(struct elf *elf)
{
    struct stub_reader reader = {.elf = elf, .functions = ARRAY_OF(uint32_t)};
    if (!elf_dynamic(elf, DT_PLTGOT, &reader.got)) {
        const struct elf_section *got = elf_section_named(elf, ".got.plt");
        reader.got = got ? got->address : 0;
    }
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (!section->is_plt && !(elf->is_headerless && section->is_code))
            continue;
        if (elf->isa == isa_AARCH64)
            read_aarch64_section(&reader, section);
        else if (elf->isa == isa_IA64)
            read_ia64_section(&reader, section);
        else
            read_x86_section(&reader, section);
    }
    array_free(&reader.functions);
}
