/* Relocations become rows, in order of address.  The relocated value is always value + addend (minus the
   place itself if the type is PC-relative), so users of the table need not know where the file kept the
   addend: REL tables keep it at the place, and RELR tables and RELATIVE entries mean a plain address, which
   becomes the value.

   Relocatable files: the relocations of all loaded sections (jump tables are in data) except .eh_frame, where
   elf_read_unwind applies them.  Linked files: the relocations that the dynamic linker applies. */
#include "code/read/elf/elf.h"

#include <stdlib.h>

struct relocation_reader {
    struct elf *elf;
    struct array plain, symbolic; /* of struct relocation: the first is sorted in most files */
    const struct elf_section *table;
    string_id *names; /* 1 + the id of each symbol of table; 0 if not looked up yet */
};

static bool is_relative_type(enum isa isa, uint32_t type)
{
    switch (isa) {
    case isa_X86_64:
    case isa_K1OM:
        return type == R_X86_64_RELATIVE || type == R_X86_64_RELATIVE64 || type == R_X86_64_IRELATIVE;
    case isa_I386:
        return type == R_386_RELATIVE || type == R_386_IRELATIVE;
    case isa_IA64:
        return type == R_IA64_REL64LSB || type == R_IA64_REL32LSB;
    default:
        return type == R_AARCH64_RELATIVE || type == R_AARCH64_IRELATIVE;
    }
}

static uint32_t relative_type(enum isa isa)
{
    return isa == isa_X86_64 || isa == isa_K1OM ? R_X86_64_RELATIVE
           : isa == isa_I386                    ? R_386_RELATIVE
           : isa == isa_IA64                    ? R_IA64_REL64LSB
                                                : R_AARCH64_RELATIVE;
}

static unsigned i386_width(uint32_t type)
{
    switch (type) {
    case R_386_NONE:
    case R_386_COPY:
    case R_386_GLOB_DAT:
    case R_386_JMP_SLOT: /* the slot's contents belong to the stub and are not an addend */
        return 0;
    case R_386_16:
    case R_386_PC16:
        return 2;
    case R_386_8:
    case R_386_PC8:
        return 1;
    default:
        return 4;
    }
}

unsigned elf_relocation_width(enum isa isa, uint32_t type, bool *is_relative)
{
    *is_relative = false;
    if (isa == isa_I386) {
        *is_relative = type == R_386_PC32 || type == R_386_PC16 || type == R_386_PC8;
        return i386_width(type);
    }
    if (isa == isa_X86_64 || isa == isa_K1OM) {
        *is_relative = type == R_X86_64_PC32 || type == R_X86_64_PC64;
        switch (type) {
        case R_X86_64_64:
        case R_X86_64_PC64:
            return 8;
        case R_X86_64_32:
        case R_X86_64_32S:
        case R_X86_64_PC32:
            return 4;
        }
        return 0;
    }
    if (isa == isa_IA64) {
        *is_relative = type == R_IA64_PCREL64LSB || type == R_IA64_PCREL32LSB;
        switch (type) {
        case R_IA64_DIR64LSB:
        case R_IA64_PCREL64LSB:
            return 8;
        case R_IA64_DIR32LSB:
        case R_IA64_PCREL32LSB:
            return 4;
        }
        return 0;
    }
    *is_relative = type == R_AARCH64_PREL32 || type == R_AARCH64_PREL64;
    switch (type) {
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL64:
        return 8;
    case R_AARCH64_ABS32:
    case R_AARCH64_PREL32:
        return 4;
    }
    return 0;
}

bool elf_relocation(const struct elf *elf, const struct elf_section *table, uint64_t number,
                    struct elf_relocation *relocation)
{
    bool has_addend = table->type == SHT_RELA;
    uint64_t width = (uint64_t)elf->address_size * (has_addend ? 3 : 2);
    if (number >= table->contents.size / width)
        return false;
    const uint8_t *at = table->contents.data + number * width;
    struct cursor cursor = {at, at + width, false};
    relocation->offset = cursor_number(&cursor, elf->address_size);
    uint64_t info = cursor_number(&cursor, elf->address_size);
    relocation->addend = has_addend ? cursor_signed(&cursor, elf->address_size) : 0;
    if (elf->address_size == 8) {
        relocation->symbol = ELF64_R_SYM(info);
        relocation->type = (uint32_t)ELF64_R_TYPE(info);
    } else {
        relocation->symbol = ELF32_R_SYM(info);
        relocation->type = ELF32_R_TYPE(info);
    }
    return true;
}

static void use_table(struct relocation_reader *reader, const struct elf_section *table)
{
    if (table == reader->table)
        return;
    free(reader->names);
    reader->table = table;
    reader->names = table ? memory_get((elf_symbol_count(reader->elf, table) + 1) * sizeof(string_id)) : NULL;
}

static string_id symbol_name(struct relocation_reader *reader, uint64_t number, const GElf_Sym *symbol,
                             uint32_t section)
{
    struct elf *elf = reader->elf;
    if (!reader->names[number]) {
        const char *name = NULL;
        if (GELF_ST_TYPE(symbol->st_info) == STT_SECTION && section < elf->section_count)
            name = elf->sections[section].name;
        else if (reader->table->link < elf->section_count)
            name = elf_text(&elf->sections[reader->table->link], symbol->st_name);
        reader->names[number] = 1 + elf_name(elf, name);
    }
    return reader->names[number] - 1;
}

static uint64_t symbol_value(const struct elf *elf, const GElf_Sym *symbol, uint32_t section)
{
    if (section == SHN_UNDEF || section == SHN_COMMON)
        return NO_ADDRESS;
    if (section == SHN_ABS)
        return symbol->st_value;
    if (elf->type != ET_REL)
        return GELF_ST_TYPE(symbol->st_info) == STT_TLS ? NO_ADDRESS : symbol->st_value;
    if (section >= elf->section_count || !elf->sections[section].is_loaded)
        return NO_ADDRESS;
    return elf->sections[section].address + symbol->st_value;
}

static int64_t addend_at_place(const struct elf *elf, uint64_t address, uint32_t type)
{
    bool is_relative;
    unsigned width = elf_relocation_width(elf->isa, type, &is_relative);
    if (is_relative_type(elf->isa, type))
        width = elf->address_size;
    struct cursor cursor = elf_bytes_at(elf, address);
    return width ? cursor_signed(&cursor, width) : 0;
}

static void add_entry(struct relocation_reader *reader, bool has_addend, uint64_t address,
                      const struct elf_relocation *entry)
{
    struct elf *elf = reader->elf;
    struct relocation row = {.program = elf->program,
                             .address = address,
                             .type = entry->type,
                             .value = NO_ADDRESS,
                             .addend =
                                 has_addend ? entry->addend : addend_at_place(elf, address, entry->type)};
    GElf_Sym symbol;
    uint32_t section;
    if (entry->symbol && reader->table && elf_symbol(elf, reader->table, entry->symbol, &symbol, &section)) {
        row.symbol = symbol_name(reader, entry->symbol, &symbol, section);
        row.value = symbol_value(elf, &symbol, section);
    } else if (is_relative_type(elf->isa, entry->type)) {
        row.value = (uint64_t)row.addend;
        if (elf->address_size == 4)
            row.value &= UINT32_MAX;
        row.addend = 0;
    }
    *(struct relocation *)array_add(row.symbol ? &reader->symbolic : &reader->plain) = row;
}

/* In IA-64 code the low bits of a place are the number of a slot of the bundle; slots are 6 bytes apart. */
static uint64_t place_of(const struct elf *elf, uint64_t address)
{
    unsigned slot = address % 16;
    bool is_slot = elf->isa == isa_IA64 && (slot == 1 || slot == 2) && elf_is_code(elf, address);
    return is_slot ? address + 5 * slot : address;
}

static void read_table(struct relocation_reader *reader, const struct elf_section *section)
{
    struct elf *elf = reader->elf;
    const struct elf_section *symbols =
        section->link && section->link < elf->section_count ? &elf->sections[section->link] : NULL;
    if (symbols && symbols->type != SHT_SYMTAB && symbols->type != SHT_DYNSYM)
        symbols = NULL;
    if (symbols)
        use_table(reader, symbols);
    uint64_t base = 0, outside = 0, first_outside = NO_ADDRESS;
    if (elf->type == ET_REL)
        base = elf->sections[section->info].address;
    struct elf_relocation entry;
    for (uint64_t i = 0; elf_relocation(elf, section, i, &entry); i++) {
        uint64_t address = place_of(elf, base + entry.offset);
        if (entry.type == 0) /* NONE on every ISA */
            continue;
        if (!symbols)
            entry.symbol = 0;
        if (!elf_section_at(elf, address)) {
            first_outside = outside++ ? first_outside : address;
            continue;
        }
        if (!elf_take_entry(elf))
            break;
        add_entry(reader, section->type == SHT_RELA, address, &entry);
    }
    if (outside)
        elf_note(elf, first_outside, outside, "relocations of places outside all sections");
}

static bool add_plain(struct relocation_reader *reader, uint64_t address)
{
    struct elf *elf = reader->elf;
    struct cursor cursor = elf_bytes_at(elf, address);
    uint64_t value = cursor_number(&cursor, elf->address_size);
    if (cursor.failed)
        return true;
    if (!elf_take_entry(elf))
        return false;
    struct relocation *row = array_add(&reader->plain);
    *row = (struct relocation){
        .program = elf->program, .address = address, .type = relative_type(elf->isa), .value = value};
    return true;
}

/* A word is an address or, if its lowest bit is set, a bit map of the words that follow. */
static void read_packed_table(struct relocation_reader *reader, const struct elf_section *section)
{
    unsigned size = reader->elf->address_size;
    struct cursor cursor = {section->contents.data, section->contents.data + section->contents.size, false};
    uint64_t next = 0;
    while (cursor_left(&cursor) >= size) {
        uint64_t word = cursor_number(&cursor, size);
        if (!(word & 1)) {
            if (!add_plain(reader, word))
                return;
            next = word + size;
            continue;
        }
        for (unsigned bit = 1; bit < 8 * size; bit++)
            if (word >> bit & 1 && !add_plain(reader, next + (bit - 1) * size))
                return;
        next += (8 * size - 1) * size;
    }
}

static bool is_wanted(const struct elf *elf, const struct elf_section *section)
{
    if (section->type != SHT_REL && section->type != SHT_RELA && section->type != SHT_RELR)
        return false;
    if (elf->type != ET_REL)
        return section->flags & SHF_ALLOC;
    return section->type != SHT_RELR && section->info && section->info < elf->section_count &&
           elf->sections[section->info].is_loaded && strcmp(elf->sections[section->info].name, ".eh_frame");
}

static int diff_rows(const void *left, const void *right)
{
    const struct relocation *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static void sort_rows(struct array *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (diff_rows(array_at(rows, i - 1), array_at(rows, i)) > 0) {
            qsort(rows->data, rows->count, rows->width, diff_rows);
            return;
        }
}

static void merge_rows(struct model *model, struct array *left, struct array *right)
{
    sort_rows(left);
    sort_rows(right);
    size_t i = 0, j = 0;
    array_reserve(&model->relocations, model->relocations.count + left->count + right->count);
    while (i < left->count || j < right->count) {
        bool take_left =
            j == right->count || (i < left->count && diff_rows(array_at(left, i), array_at(right, j)) <= 0);
        struct relocation *row = model_add(&model->relocations);
        *row = *(struct relocation *)(take_left ? array_at(left, i++) : array_at(right, j++));
    }
}

void elf_read_relocations(struct elf *elf)
{
    struct relocation_reader reader = {
        .elf = elf, .plain = ARRAY_OF(struct relocation), .symbolic = ARRAY_OF(struct relocation)};
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (!is_wanted(elf, section))
            continue;
        if (section->type == SHT_RELR)
            read_packed_table(&reader, section);
        else
            read_table(&reader, section);
    }
    merge_rows(elf->model, &reader.plain, &reader.symbolic);
    array_free(&reader.plain);
    array_free(&reader.symbolic);
    free(reader.names);
}

const struct relocation *elf_relocation_at(const struct elf *elf, uint64_t address)
{
    const struct array *rows = &elf->model->relocations;
    size_t at = array_first_at(rows, elf->first_relocation, offsetof(struct relocation, address), address);
    const struct relocation *row = array_at(rows, at);
    return at < rows->count && row->address == address ? row : NULL;
}
