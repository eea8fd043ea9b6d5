/* A file without section headers still runs, so everything that the dynamic linker and the unwinder need can
   be found: the segments, and the tables that the dynamic section and the unwind header give by address. They
   become entries of elf->sections as if the file had headers for them.  Segments get rows; the tables, which
   are inside segments, do not. */
#include "code/read/elf/sections.h"

#include <dwarf.h>

enum { MOST_SEGMENTS = 4096, MOST_TABLES = 16 };

static const char *const segment_names[] = {"segment 1", "segment 2", "segment 3", "segment 4",
                                            "segment 5", "segment 6", "segment 7", "segment 8"};

static const char *segment_name(unsigned number)
{
    return number < sizeof segment_names / sizeof *segment_names ? segment_names[number] : "segment";
}

static struct elf_section *new_section(struct elf *elf, const char *name, uint32_t type)
{
    struct elf_section *section = &elf->sections[elf->section_count++];
    *section = (struct elf_section){.name = name, .type = type};
    return section;
}

/* The bytes at an address, from the segments taken so far. */
static struct span bytes_at(const struct elf *elf, uint64_t address, uint64_t size)
{
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (section->is_loaded && address >= section->address &&
            address - section->address < section->contents.size) {
            uint64_t offset = address - section->address, left = section->contents.size - offset;
            return (struct span){section->contents.data + offset, size < left ? size : left};
        }
    }
    return (struct span){0};
}

static struct elf_section *add_table(struct elf *elf, const char *name, uint32_t type, uint64_t address,
                                     uint64_t size)
{
    struct elf_section *section = new_section(elf, name, type);
    section->address = address;
    section->contents = bytes_at(elf, address, size);
    section->size = section->contents.size;
    return section;
}

/* Only the hash tables give the number of symbols. */
static uint64_t count_by_hash(const struct elf *elf, uint64_t address)
{
    struct span bytes = bytes_at(elf, address, UINT64_MAX);
    struct cursor cursor = {bytes.data, bytes.data + bytes.size, false};
    cursor_number(&cursor, 4);
    return cursor_number(&cursor, 4);
}

static uint64_t count_by_gnu_hash(const struct elf *elf, uint64_t address)
{
    struct span bytes = bytes_at(elf, address, UINT64_MAX);
    struct cursor cursor = {bytes.data, bytes.data + bytes.size, false};
    uint64_t bucket_count = cursor_number(&cursor, 4), first = cursor_number(&cursor, 4);
    uint64_t bloom_count = cursor_number(&cursor, 4), last = 0;
    cursor_number(&cursor, 4);
    cursor_skip(&cursor, bloom_count * elf->address_size);
    for (uint64_t i = 0; i < bucket_count && !cursor.failed; i++) {
        uint64_t bucket = cursor_number(&cursor, 4);
        last = bucket > last ? bucket : last;
    }
    if (cursor.failed || last < first)
        return first;
    cursor_skip(&cursor, (last - first) * 4);
    while (!cursor.failed && !(cursor_number(&cursor, 4) & 1))
        last++;
    return last + 1;
}

static void add_symbol_tables(struct elf *elf)
{
    uint64_t names, names_size, symbols, hash, count = 0;
    if (!elf_dynamic(elf, DT_STRTAB, &names) || !elf_dynamic(elf, DT_STRSZ, &names_size) ||
        !elf_dynamic(elf, DT_SYMTAB, &symbols))
        return;
    if (elf_dynamic(elf, DT_HASH, &hash))
        count = count_by_hash(elf, hash);
    else if (elf_dynamic(elf, DT_GNU_HASH, &hash))
        count = count_by_gnu_hash(elf, hash);
    if (count > elf->file.size)
        count = 0;
    uint64_t width = elf->address_size == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    uint32_t names_number = elf->section_count;
    add_table(elf, ".dynstr", SHT_STRTAB, names, names_size);
    struct elf_section *table = add_table(elf, ".dynsym", SHT_DYNSYM, symbols, count * width);
    table->link = names_number;
    table->entry_size = width;
}

static uint32_t table_number(const struct elf *elf, uint32_t type)
{
    const struct elf_section *section = elf_section_of_type(elf, type);
    return section ? (uint32_t)(section - elf->sections) : 0;
}

static void add_relocation_tables(struct elf *elf)
{
    static const struct {
        const char *name;
        uint32_t type;
        int64_t address, size;
    } kinds[] = {
        {".rela.dyn", SHT_RELA, DT_RELA, DT_RELASZ},
        {".rel.dyn", SHT_REL, DT_REL, DT_RELSZ},
        {".relr.dyn", SHT_RELR, DT_RELR, DT_RELRSZ},
        {".rela.plt", SHT_RELA, DT_JMPREL, DT_PLTRELSZ},
        {".init_array", SHT_INIT_ARRAY, DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
        {".fini_array", SHT_FINI_ARRAY, DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
        {".preinit_array", SHT_PREINIT_ARRAY, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t address, size, form;
        if (!elf_dynamic(elf, kinds[i].address, &address) || !elf_dynamic(elf, kinds[i].size, &size))
            continue;
        uint32_t type = kinds[i].type;
        if (kinds[i].address == DT_JMPREL && elf_dynamic(elf, DT_PLTREL, &form) && form == DT_REL)
            type = SHT_REL;
        struct elf_section *table = add_table(elf, kinds[i].name, type, address, size);
        table->flags = SHF_ALLOC;
        table->link = table_number(elf, SHT_DYNSYM);
    }
}

/* The header of the unwind table gives the start of .eh_frame, which marks its own end. */
static void add_unwind_table(struct elf *elf, uint64_t header)
{
    struct span bytes = bytes_at(elf, header, UINT64_MAX);
    struct cursor cursor = {bytes.data, bytes.data + bytes.size, false};
    uint64_t version = cursor_number(&cursor, 1), encoding = cursor_number(&cursor, 1);
    cursor_skip(&cursor, 2);
    if (version != 1 || encoding != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
        return;
    uint64_t address = header + 4 + (uint64_t)cursor_signed(&cursor, 4);
    if (!cursor.failed)
        add_table(elf, ".eh_frame", SHT_PROGBITS, address, UINT64_MAX);
}

static void add_segment(struct elf *elf, const GElf_Phdr *segment, unsigned number)
{
    struct elf_section *section = new_section(elf, segment_name(number), SHT_PROGBITS);
    section->flags = SHF_ALLOC | (segment->p_flags & PF_W ? SHF_WRITE : 0u) |
                     (segment->p_flags & PF_X ? SHF_EXECINSTR : 0u);
    section->address = segment->p_vaddr;
    section->size = segment->p_memsz;
    uint64_t size = segment->p_filesz < segment->p_memsz ? segment->p_filesz : segment->p_memsz;
    section->contents = elf_file_bytes(elf, segment->p_offset, size);
    if (section->contents.size > elf->section_bytes_left) {
        elf_note(elf, segment->p_vaddr, 1, "a segment shares its bytes with too many others");
        *section = (struct elf_section){.name = section->name};
        return;
    }
    elf->section_bytes_left -= section->contents.size;
    section->is_loaded = true;
    section->is_code = segment->p_flags & PF_X;
    if (section->contents.size < size)
        elf_note(elf, segment->p_vaddr, 1, "the file ends inside a segment");
}

void elf_sections_from_segments(struct elf *elf)
{
    size_t count = 0;
    if (elf_getphdrnum(elf->handle, &count) || count > MOST_SEGMENTS)
        count = 0;
    elf->sections = memory_get((1 + count + MOST_TABLES) * sizeof *elf->sections);
    elf->section_count = 1;
    elf->sections[0].name = "";
    uint64_t dynamic = NO_ADDRESS, dynamic_size = 0, unwind = NO_ADDRESS;
    unsigned number = 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf->handle, (int)i, &segment))
            continue;
        if (segment.p_type == PT_LOAD && segment.p_memsz) {
            add_segment(elf, &segment, number++);
        } else if (segment.p_type == PT_DYNAMIC) {
            dynamic = segment.p_vaddr;
            dynamic_size = segment.p_filesz;
        } else if (segment.p_type == PT_GNU_EH_FRAME) {
            unwind = segment.p_vaddr;
        }
    }
    if (dynamic != NO_ADDRESS) {
        add_table(elf, ".dynamic", SHT_DYNAMIC, dynamic, dynamic_size);
        add_symbol_tables(elf);
        add_relocation_tables(elf);
    }
    if (unwind != NO_ADDRESS)
        add_unwind_table(elf, unwind);
}
