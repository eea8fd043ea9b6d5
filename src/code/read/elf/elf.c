/* Opens an ELF file: checks its headers, adds its row in programs, and has the lookups that the files of this
   part share. */
#include "code/read/elf/elf.h"

#include "code/read/elf/sections.h"

#include <elfutils/libdwelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_NAME = 64 * 1024, SMALLEST_BUDGET = 4096 };

static const char *machine_name(const GElf_Ehdr *header, char *invented, size_t size)
{
    switch (header->e_machine) {
    case EM_ARM:
        return "32-bit Arm";
    case EM_AARCH64:
        return "AArch64 with 32-bit addresses (ILP32)";
    case EM_IA_64:
        return "IA-64 with 32-bit addresses";
    case EM_RISCV:
        return "RISC-V";
    case EM_PPC:
    case EM_PPC64:
        return "POWER";
    case EM_S390:
        return "z/Architecture (s390)";
    case EM_MIPS:
        return "MIPS";
    case EM_SPARC:
    case EM_SPARC32PLUS:
    case EM_SPARCV9:
        return "SPARC";
    case EM_LOONGARCH:
        return "LoongArch";
    case EM_CUDA:
    case EM_AMDGPU:
        return "a graphics processor";
    case EM_BPF:
        return "BPF";
    default:
        snprintf(invented, size, "ELF machine number %u", header->e_machine);
        return invented;
    }
}

static bool find_isa(struct elf *elf, const GElf_Ehdr *header, const char *where, struct error *error)
{
    bool is_64 = header->e_ident[EI_CLASS] == ELFCLASS64;
    elf->address_size = is_64 ? 8 : 4;
    switch (header->e_machine) {
    case EM_X86_64:
        elf->isa = isa_X86_64;
        break;
    case EM_386:
        elf->isa = isa_I386;
        break;
    case EM_K1OM:
        elf->isa = is_64 ? isa_K1OM : isa_NONE;
        break;
    case EM_AARCH64:
        elf->isa = is_64 ? isa_AARCH64 : isa_NONE;
        break;
    case EM_IA_64:
        elf->isa = is_64 ? isa_IA64 : isa_NONE;
        break;
    default:
        elf->isa = isa_NONE;
    }
    char invented[64];
    if (elf->isa == isa_NONE)
        return error_set(error, where, "this is code for %s; Assay reads x86-64, i386, AArch64 and IA-64",
                         machine_name(header, invented, sizeof invented));
    if (elf->isa == isa_I386 && is_64)
        return error_set(error, where, "the ELF header is damaged: i386 code with 64-bit addresses");
    if (header->e_ident[EI_DATA] != ELFDATA2LSB)
        return error_set(error, where, "this is big-endian code; Assay reads little-endian code only");
    return true;
}

static bool find_type(struct elf *elf, const GElf_Ehdr *header, const char *where, struct error *error)
{
    elf->type = header->e_type;
    switch (header->e_type) {
    case ET_EXEC:
        elf->format = format_EXECUTABLE;
        return true;
    case ET_DYN:
        elf->format = format_SHARED;
        return true;
    case ET_REL:
        elf->format = format_OBJECT;
        return true;
    case ET_CORE:
        return error_set(error, where,
                         "this is a core file, not a program; give the program that was running");
    default:
        return error_set(error, where, "this ELF file is not a program, library or object (its type is %u)",
                         header->e_type);
    }
}

/* Position-independent executables and shared objects have the same ELF type. */
static bool is_position_independent_executable(const struct elf *elf)
{
    uint64_t value;
    if (elf_dynamic(elf, DT_FLAGS_1, &value) && value & DF_1_PIE)
        return true;
    size_t count = 0;
    if (elf_getphdrnum(elf->handle, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf->handle, (int)i, &segment) && segment.p_type == PT_INTERP)
            return !elf_dynamic(elf, DT_SONAME, &value);
    }
    return false;
}

static string_id build_id(struct elf *elf)
{
    const void *bytes;
    ssize_t size = dwelf_elf_gnu_build_id(elf->handle, &bytes);
    char text[2 * 64 + 1];
    if (size <= 0 || size > 64)
        return 0;
    for (ssize_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const uint8_t *)bytes)[i]);
    return model_string(elf->model, text);
}

/* Checks the headers, and that there is something to read. */
static bool check_headers(struct elf *elf, const char *where, GElf_Ehdr *header, struct error *error)
{
    if (elf->file.size < EI_NIDENT)
        return error_set(error, where, "the file ends inside the ELF header");
    elf_version(EV_CURRENT);
    elf->handle = elf_memory((char *)elf->file.data, elf->file.size);
    if (!elf->handle || elf_kind(elf->handle) != ELF_K_ELF || !gelf_getehdr(elf->handle, header))
        return error_set(error, where, "the ELF header is damaged or truncated");
    return find_isa(elf, header, where, error) && find_type(elf, header, where, error);
}

bool elf_open(struct elf *elf, struct model *model, const char *path, const char *member, struct span file,
              struct error *error)
{
    *elf = (struct elf){.model = model,
                        .path = path,
                        .file = file,
                        .entries_left = SMALLEST_BUDGET + file.size / 4,
                        .section_bytes_left = 2 * (uint64_t)file.size,
                        .name_bytes_left = LONGEST_NAME + 8 * (uint64_t)file.size};
    size_t problem_count = model->problems.count;
    char *where = member ? memory_format("%s(%s)", path, member) : memory_copy_text(path, strlen(path));
    GElf_Ehdr header;
    bool good = check_headers(elf, where, &header, error);
    if (good) {
        struct program *program = model_add(&model->programs);
        elf->program = model_last(&model->programs);
        *program = (struct program){.path = model_string(model, path), .member = model_string(model, member)};
        good = elf_find_sections(elf, where, error);
        if (!good) {
            model->programs.count--;
            model->problems.count = problem_count;
        }
    }
    free(where);
    if (!good) {
        elf_close(elf);
        return false;
    }
    if (elf->type == ET_DYN && is_position_independent_executable(elf))
        elf->format = format_PIE;
    elf->entry = elf->type != ET_REL && header.e_entry ? header.e_entry : NO_ADDRESS;
    struct program *program = model_program(model, elf->program);
    program->isa = (uint8_t)elf->isa;
    program->format = (uint8_t)elf->format;
    program->bits = (uint8_t)(elf->address_size * 8);
    program->entry = elf->entry;
    program->build_id = build_id(elf);
    program->has_symbols = elf->has_symbol_table;
    elf->first_relocation = model->relocations.count;
    return true;
}

void elf_close(struct elf *elf)
{
    if (elf->handle)
        elf_end(elf->handle);
    free(elf->sections);
    free(elf->by_address);
    *elf = (struct elf){0};
}

const struct elf_section *elf_section_at(const struct elf *elf, uint64_t address)
{
    struct bisection search = {0, elf->loaded_count};
    while (bisect(&search)) {
        const struct elf_section *section = &elf->sections[elf->by_address[search.middle]];
        if (address >= section->address && address - section->address < section->size)
            return section;
        bisect_past(&search, section->address <= address);
    }
    return NULL;
}

const struct elf_section *elf_section_named(const struct elf *elf, const char *name)
{
    for (uint32_t i = 1; i < elf->section_count; i++)
        if (elf->sections[i].type != SHT_NULL && !strcmp(elf->sections[i].name, name))
            return &elf->sections[i];
    return NULL;
}

const struct elf_section *elf_section_of_type(const struct elf *elf, uint32_t type)
{
    for (uint32_t i = 1; i < elf->section_count; i++)
        if (elf->sections[i].type == type)
            return &elf->sections[i];
    return NULL;
}

bool elf_is_code(const struct elf *elf, uint64_t address)
{
    const struct elf_section *section = elf_section_at(elf, address);
    return section && section->is_code;
}

struct cursor elf_bytes_at(const struct elf *elf, uint64_t address)
{
    const struct elf_section *section = elf_section_at(elf, address);
    if (!section || address - section->address >= section->contents.size)
        return (struct cursor){0};
    return (struct cursor){section->contents.data + (address - section->address),
                           section->contents.data + section->contents.size, false};
}

const char *elf_text(const struct elf_section *table, uint64_t offset)
{
    if (offset >= table->contents.size)
        return NULL;
    size_t left = table->contents.size - offset;
    const char *text = (const char *)table->contents.data + offset;
    size_t longest = left < LONGEST_NAME ? left : LONGEST_NAME;
    return strnlen(text, longest) < longest ? text : NULL;
}

static void note_limit(struct elf *elf, const char *text)
{
    if (!elf->limit_noted)
        model_note_problem(elf->model, elf->program, problem_kind_LIMIT, NO_ADDRESS, 1, text);
    elf->limit_noted = true;
}

string_id elf_name(struct elf *elf, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (!length)
        return 0;
    if (length > elf->name_bytes_left) {
        note_limit(elf, "the names in the file are longer than the file; the rest is skipped");
        return 0;
    }
    elf->name_bytes_left -= length;
    return strings_add_length(&elf->model->strings, text, length);
}

bool elf_take_entry(struct elf *elf)
{
    if (elf->entries_left == 0) {
        note_limit(elf, "tables of the file share bytes and have far too many entries; the rest is skipped");
        return false;
    }
    elf->entries_left--;
    return true;
}

void elf_note(struct elf *elf, uint64_t address, uint64_t count, const char *text)
{
    model_note_problem(elf->model, elf->program, problem_kind_FILE, address, count, text);
}

struct symbol *elf_new_symbol(struct elf *elf, string_id name, uint64_t address, uint64_t size,
                              enum origin origin)
{
    struct symbol *symbol = model_add(&elf->model->symbols);
    symbol->program = elf->program;
    symbol->name = name;
    symbol->address = address;
    symbol->size = size;
    symbol->origin = (uint8_t)origin;
    return symbol;
}

bool elf_dynamic(const struct elf *elf, int64_t tag, uint64_t *value)
{
    const struct elf_section *section = elf_section_of_type(elf, SHT_DYNAMIC);
    if (!section)
        return false;
    struct cursor cursor = {section->contents.data, section->contents.data + section->contents.size, false};
    while (cursor_left(&cursor) >= 2u * elf->address_size) {
        int64_t found = cursor_signed(&cursor, elf->address_size);
        *value = cursor_number(&cursor, elf->address_size);
        if (found == tag)
            return true;
        if (found == DT_NULL)
            break;
    }
    return false;
}
