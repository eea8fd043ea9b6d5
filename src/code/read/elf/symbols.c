/* Symbol tables: functions, and the ranges of data inside code that AArch64 objects mark.

   A symbol is a function if its type says so, or if it has no type, is in code and has a name given by a
   person (assembly routines often lack a type), not a mapping symbol ($x, $d) or one of the assembler's own
   labels.  Imports are not functions of this file: their names come with the relocations. */
#include "code/read/elf/elf.h"

#include <stdlib.h>
#include <string.h>

uint64_t elf_symbol_count(const struct elf *elf, const struct elf_section *table)
{
    return table->contents.size / (elf->address_size == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
}

/* The section of a symbol whose section number does not fit its record. */
static uint32_t extended_section(const struct elf *elf, const struct elf_section *table, uint64_t number)
{
    const struct elf_section *numbers = elf->section_numbers;
    if (!numbers || numbers->link != (uint32_t)(table - elf->sections) ||
        number >= numbers->contents.size / 4)
        return SHN_UNDEF;
    const uint8_t *at = numbers->contents.data + number * 4;
    struct cursor cursor = {at, at + 4, false};
    return (uint32_t)cursor_number(&cursor, 4);
}

bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t number, GElf_Sym *symbol,
                uint32_t *section)
{
    if (number >= elf_symbol_count(elf, table))
        return false;
    if (elf->address_size == 8) {
        memcpy(symbol, table->contents.data + number * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
    } else {
        Elf32_Sym small;
        memcpy(&small, table->contents.data + number * sizeof small, sizeof small);
        *symbol = (GElf_Sym){small.st_name,  small.st_info,  small.st_other,
                             small.st_shndx, small.st_value, small.st_size};
    }
    *section = symbol->st_shndx;
    if (symbol->st_shndx == SHN_XINDEX)
        *section = extended_section(elf, table, number);
    else if (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_ABS &&
             symbol->st_shndx != SHN_COMMON)
        *section = SHN_UNDEF;
    return true;
}

static bool is_mapping_symbol(const char *name)
{
    return name[0] == '$' && strchr("xdat", name[1]) && name[1] && (!name[2] || name[2] == '.');
}

static bool is_inside(const struct elf_section *section, uint64_t address)
{
    return section && address >= section->address && address - section->address < section->size;
}

/* section is the symbol's, address its place in the program.  A function without any instruction can be at
   the end of its section: it is left out. */
static void add_function(struct elf *elf, const char *name, const GElf_Sym *symbol, uint64_t address,
                         const struct elf_section *section, enum origin origin)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
    bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    bool is_label = type == STT_NOTYPE && name && *name && *name != '.' && !is_mapping_symbol(name);
    if (!is_function && !is_label)
        return;
    if (!is_inside(section, address) || !section->is_code) {
        bool is_empty = section && section->is_code && symbol->st_size == 0 &&
                        address == section->address + section->size;
        if (is_function && !is_empty)
            elf_note(elf, address, 1, "a function symbol refers to a place without code");
        return;
    }
    if (!elf_take_entry(elf))
        return;
    uint64_t left = section->address + section->size - address;
    uint64_t size = symbol->st_size < left ? symbol->st_size : left;
    struct symbol *row = elf_new_symbol(elf, elf_name(elf, name), address, size, origin);
    row->is_global = binding != STB_LOCAL;
    row->is_resolver = type == STT_GNU_IFUNC;
}

void elf_add_symbol(struct elf *elf, const char *name, const GElf_Sym *symbol, enum origin origin)
{
    if (symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_COMMON && symbol->st_shndx != SHN_ABS)
        add_function(elf, name, symbol, symbol->st_value, elf_section_at(elf, symbol->st_value), origin);
}

static bool is_of_listing(const struct elf_listing *listing, const char *name, const GElf_Sym *symbol)
{
    if (!strncmp(name, listing->mark_prefix, strlen(listing->mark_prefix)))
        return true;
    return GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE && GELF_ST_BIND(symbol->st_info) == STB_LOCAL &&
           strings_find(&listing->labels, name);
}

struct mark {
    uint64_t address;
    uint32_t section, position;
    bool is_data;
};

static int compare_marks(const void *left, const void *right)
{
    const struct mark *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Data lasts from its mapping symbol to the next one for code, or to the end of the section. */
static void add_data_ranges(struct elf *elf, struct array *marks)
{
    if (!marks->count)
        return;
    qsort(marks->data, marks->count, sizeof(struct mark), compare_marks);
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = ARRAY_AT(struct mark, marks, i), *next = mark + 1;
        if (!mark->is_data)
            continue;
        while (i + 1 < marks->count && next->section == mark->section && next->is_data)
            i++, next++;
        const struct elf_section *section = &elf->sections[mark->section];
        uint64_t end = section->address + section->size;
        if (i + 1 < marks->count && next->section == mark->section)
            end = next->address;
        if (end <= mark->address)
            continue;
        struct data_range *range = model_add(&elf->model->data_ranges);
        *range = (struct data_range){.program = elf->program, .address = mark->address, .end = end};
    }
}

/* Fortran needs its run-time library for nearly everything but arithmetic, so a file that uses functions of
   others, and none of such a library, was written in something else. */
static void note_undefined(struct elf *elf, const char *name)
{
    static const char *const runtimes[] = {"_gfortran_", "_Fortran", "for_"};
    elf->has_undefined |= name && *name;
    for (size_t i = 0; name && i < sizeof runtimes / sizeof *runtimes; i++)
        elf->uses_fortran |= !strncmp(name, runtimes[i], strlen(runtimes[i]));
}

static void read_table(struct elf *elf, const struct elf_section *table, enum origin origin)
{
    static const struct elf_section no_names;
    const struct elf_section *names =
        table->link < elf->section_count ? &elf->sections[table->link] : &no_names;
    uint64_t count = elf_symbol_count(elf, table);
    struct array marks = ARRAY_OF(struct mark);
    for (uint64_t i = 1; i < count; i++) {
        GElf_Sym symbol;
        uint32_t number;
        elf_symbol(elf, table, i, &symbol, &number);
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
            continue;
        if (number == SHN_UNDEF) {
            note_undefined(elf, elf_text(names, symbol.st_name));
            continue;
        }
        if (!elf->is_headerless && (number >= elf->section_count || !elf->sections[number].is_loaded))
            continue;
        const char *name = elf_text(names, symbol.st_name);
        if (elf->listing && name && is_of_listing(elf->listing, name, &symbol))
            continue;
        uint64_t address = symbol.st_value;
        if (elf->type == ET_REL)
            address += elf->sections[number].address;
        const struct elf_section *section =
            elf->is_headerless ? elf_section_at(elf, address) : &elf->sections[number];
        bool is_mark = type == STT_NOTYPE && elf->isa == isa_AARCH64 && name && is_mapping_symbol(name);
        if (!is_mark) {
            add_function(elf, name, &symbol, address, section, origin);
        } else if (is_inside(section, address) && section->is_code) {
            struct mark *mark = array_add(&marks);
            *mark = (struct mark){address, (uint32_t)(section - elf->sections), (uint32_t)i, name[1] == 'd'};
        }
    }
    add_data_ranges(elf, &marks);
    array_free(&marks);
}

void elf_read_symbols(struct elf *elf)
{
    const struct elf_section *table = elf_section_of_type(elf, SHT_SYMTAB);
    if (table)
        read_table(elf, table, origin_SYMBOL);
    table = elf_section_of_type(elf, SHT_DYNSYM);
    if (table)
        read_table(elf, table, origin_DYNAMIC);
    model_program(elf->model, elf->program)->is_not_fortran = elf->has_undefined && !elf->uses_fortran;
}
