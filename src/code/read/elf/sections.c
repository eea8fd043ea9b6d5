/* Section headers become sections with addresses and rows.

   Linked files have addresses.  Relocatable files do not: their sections are laid out one after another,
   aligned, from LAYOUT_START on, so that address 0 stays unused.  A section that is outside the file, wraps
   around the address space or overlaps another is skipped and counted. */
#include "code/read/elf/sections.h"

#include <stdlib.h>

#define LAYOUT_START UINT64_C(0x10000)
#define LARGEST_ALIGNMENT (UINT64_C(1) << 32)

struct span elf_file_bytes(const struct elf *elf, uint64_t offset, uint64_t size)
{
    if (offset >= elf->file.size)
        return (struct span){0};
    uint64_t left = elf->file.size - offset;
    return (struct span){elf->file.data + offset, size < left ? size : left};
}

static void drop(struct elf_section *section)
{
    *section = (struct elf_section){.name = section->name};
}

/* The address after the last one that a section may use. */
static uint64_t address_limit(const struct elf *elf)
{
    return elf->address_size == 4 ? UINT64_C(1) << 32 : NO_ADDRESS - 1;
}

static void take_header(struct elf *elf, struct elf_section *section, const GElf_Shdr *header)
{
    *section = (struct elf_section){.name = section->name,
                                    .type = header->sh_type,
                                    .link = header->sh_link,
                                    .info = header->sh_info,
                                    .flags = header->sh_flags,
                                    .address = header->sh_addr,
                                    .size = header->sh_size,
                                    .entry_size = header->sh_entsize};
    if (section->type == SHT_NULL) {
        drop(section);
        return;
    }
    bool is_thread_local_template = section->type == SHT_NOBITS && section->flags & SHF_TLS;
    section->is_loaded = section->flags & SHF_ALLOC && (elf->type == ET_REL || !is_thread_local_template);
    section->is_code = section->is_loaded && section->flags & SHF_EXECINSTR;
    if (section->type == SHT_NOBITS || section->size == 0)
        return;
    section->contents = elf_file_bytes(elf, header->sh_offset, section->size);
    if (section->contents.size > elf->section_bytes_left) {
        elf_note(elf, section->flags & SHF_ALLOC ? section->address : NO_ADDRESS, 1,
                 "a section shares its bytes with too many others");
        drop(section);
        return;
    }
    elf->section_bytes_left -= section->contents.size;
    if (section->contents.size == 0) {
        elf_note(elf, section->flags & SHF_ALLOC ? section->address : NO_ADDRESS, 1,
                 "a section is outside the file");
        drop(section);
    } else if (section->contents.size < section->size) {
        elf_note(elf, section->flags & SHF_ALLOC ? section->address : NO_ADDRESS, 1,
                 "the file ends inside a section");
    }
}

static void lay_out(struct elf *elf)
{
    uint64_t next = LAYOUT_START, limit = address_limit(elf);
    for (uint32_t i = 1; i < elf->section_count; i++) {
        struct elf_section *section = &elf->sections[i];
        GElf_Shdr header;
        if (!section->is_loaded || !gelf_getshdr(elf_getscn(elf->handle, i), &header))
            continue;
        uint64_t alignment = header.sh_addralign;
        if (alignment == 0 || alignment & (alignment - 1) || alignment > LARGEST_ALIGNMENT)
            alignment = 1;
        uint64_t address = (next + alignment - 1) & -alignment;
        if (address < next || address >= limit || section->size > limit - address) {
            elf_note(elf, NO_ADDRESS, 1, "a section is too large for the address space");
            drop(section);
            continue;
        }
        section->address = address;
        next = address + section->size;
    }
}

static void check_addresses(struct elf *elf)
{
    uint64_t limit = address_limit(elf);
    for (uint32_t i = 1; i < elf->section_count; i++) {
        struct elf_section *section = &elf->sections[i];
        if (section->is_loaded && (section->address > limit || section->size > limit - section->address)) {
            elf_note(elf, section->address, 1, "a section does not fit the address space");
            drop(section);
        }
    }
}

/* IA-64 bundles start at multiples of 16, and the decoder looks at the start of its bundle. */
static void check_bundles(struct elf *elf)
{
    for (uint32_t i = 1; i < elf->section_count && elf->isa == isa_IA64; i++) {
        struct elf_section *section = &elf->sections[i];
        if (!section->is_code || section->address % 16 == 0)
            continue;
        elf_note(elf, section->address, 1,
                 "a code section does not start at a multiple of 16, where bundles start");
        section->is_code = false;
    }
}

static int compare_addresses(const void *left, const void *right, void *context)
{
    const struct elf_section *sections = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (sections[a].address != sections[b].address)
        return sections[a].address < sections[b].address ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* If two sections overlap, the one that starts first stays. */
static void sort_by_address(struct elf *elf)
{
    elf->by_address = memory_get(elf->section_count * sizeof *elf->by_address);
    uint32_t count = 0;
    for (uint32_t i = 1; i < elf->section_count; i++)
        if (elf->sections[i].is_loaded && elf->sections[i].size)
            elf->by_address[count++] = i;
    qsort_r(elf->by_address, count, sizeof *elf->by_address, compare_addresses, elf->sections);
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct elf_section *section = &elf->sections[elf->by_address[i]];
        if (section->address < end) {
            elf_note(elf, section->address, 1, "a section overlaps another one");
            drop(section);
            continue;
        }
        end = section->address + section->size;
        elf->by_address[elf->loaded_count++] = elf->by_address[i];
    }
}

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static void add_rows(struct elf *elf)
{
    for (uint32_t i = 1; i < elf->section_count; i++) {
        struct elf_section *section = &elf->sections[i];
        if (section->type == SHT_NULL || (elf->is_headerless && !section->is_loaded))
            continue;
        struct section *row = model_add(&elf->model->sections);
        section->row = model_last(&elf->model->sections);
        GElf_Shdr header = {0};
        if (!elf->is_headerless)
            gelf_getshdr(elf_getscn(elf->handle, i), &header);
        else if (section->contents.data)
            header.sh_offset = (uint64_t)(section->contents.data - elf->file.data);
        *row = (struct section){.program = elf->program,
                                .name = elf_name(elf, section->name),
                                .address = section->flags & SHF_ALLOC ? section->address : NO_ADDRESS,
                                .size = section->size,
                                .offset = header.sh_offset,
                                .is_code = section->is_code,
                                .is_writable = section->flags & SHF_ALLOC && section->flags & SHF_WRITE,
                                .is_loaded = section->is_loaded,
                                .contents = section->contents};
        section->is_plt =
            section->is_code && (starts_with(section->name, ".plt") || !strcmp(section->name, ".iplt"));
        if (section->type == SHT_SYMTAB)
            elf->has_symbol_table = true;
        if (section->type == SHT_SYMTAB_SHNDX)
            elf->section_numbers = section;
        if (starts_with(section->name, ".debug_info") || starts_with(section->name, ".zdebug_info"))
            elf->has_debug = true;
    }
}

static void sections_from_headers(struct elf *elf, size_t count)
{
    elf->section_count = (uint32_t)count;
    elf->sections = memory_get(count * sizeof *elf->sections);
    for (uint32_t i = 0; i < count; i++)
        elf->sections[i].name = "";
    struct elf_section names = {0};
    size_t number;
    GElf_Shdr header;
    if (!elf_getshdrstrndx(elf->handle, &number) && gelf_getshdr(elf_getscn(elf->handle, number), &header) &&
        header.sh_type == SHT_STRTAB)
        names.contents = elf_file_bytes(elf, header.sh_offset, header.sh_size);
    if (!names.contents.size)
        elf_note(elf, NO_ADDRESS, 1, "the section names are damaged");
    for (uint32_t i = 1; i < count; i++) {
        if (!gelf_getshdr(elf_getscn(elf->handle, i), &header))
            continue;
        const char *name = elf_text(&names, header.sh_name);
        elf->sections[i].name = name ? name : "";
        take_header(elf, &elf->sections[i], &header);
    }
}

bool elf_find_sections(struct elf *elf, const char *where, struct error *error)
{
    GElf_Ehdr header;
    size_t count = 0;
    if (elf_getshdrnum(elf->handle, &count) || count > UINT32_MAX - 1)
        count = 0;
    if (count > 1) {
        sections_from_headers(elf, count);
    } else if (elf->type != ET_REL) {
        if (gelf_getehdr(elf->handle, &header) && header.e_shoff)
            elf_note(elf, NO_ADDRESS, 1,
                     "the section headers are outside the file: segments are used instead");
        elf->is_headerless = true;
        elf_sections_from_segments(elf);
    }
    if (elf->type == ET_REL)
        lay_out(elf);
    check_addresses(elf);
    check_bundles(elf);
    bool is_anything = false;
    for (uint32_t i = 1; i < elf->section_count; i++)
        is_anything |= elf->sections[i].type != SHT_NULL;
    if (!is_anything)
        return error_set(error, where, "the file is damaged or truncated: none of its sections can be read");
    sort_by_address(elf);
    add_rows(elf);
    return true;
}

void elf_move(struct elf *elf, uint64_t distance)
{
    if (!distance)
        return;
    for (uint32_t i = 1; i < elf->section_count; i++) {
        struct elf_section *section = &elf->sections[i];
        if (!section->is_loaded)
            continue;
        section->address += distance;
        model_section(elf->model, section->row)->address = section->address;
    }
}
