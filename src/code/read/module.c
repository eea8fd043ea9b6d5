/* libdwfl finds separate debug files (by build-id and debug link), decompresses sections and relocates the
   debug sections of relocatable files.  It would lay out the sections of a relocatable file itself, but
   accepts an existing layout.  So it gets a copy of the file whose section headers hold the addresses that
   elf_open chose.

   libdwfl adds a bias to the addresses of shared objects.  Ours are the addresses in the file, so the bias is
   subtracted wherever libdwfl (not libdw) gives an address. */
#include "code/read/module.h"

#include "code/read/bytes.h"
#include "code/read/elf/debug_files.h"
#include "code/read/dwarf/dwarf.h"

#include <elfutils/libdw.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

static void note(struct module *module, const char *what, const char *why)
{
    char *text = memory_format("%s: %s", what, why ? why : "unknown reason");
    model_note_problem(module->elf->model, module->elf->program, problem_kind_DEBUG, NO_ADDRESS, 1, text);
    free(text);
}

/* Called for sections of a separate debug file, whose headers do not have the layout. */
static int section_address(Dwfl_Module *handle, void **userdata, const char *module_name, Dwarf_Addr base,
                           const char *section_name, GElf_Word number, const GElf_Shdr *header,
                           Dwarf_Addr *address)
{
    (void)handle, (void)module_name, (void)base, (void)number, (void)header;
    const struct module *module = *userdata;
    const struct elf_section *section = module ? elf_section_named(module->elf, section_name) : NULL;
    *address = section && section->is_loaded ? section->address : (Dwarf_Addr)-1;
    return 0;
}

static int find_debug_file(Dwfl_Module *handle, void **userdata, const char *module_name, Dwarf_Addr base,
                           const char *file, const char *link, GElf_Word checksum, char **found)
{
    (void)module_name, (void)base;
    struct module *module = *userdata;
    if (!module)
        return -1;
    const struct debug_search search = {handle, module->elf->handle, module->search_path};
    bool is_refused;
    int descriptor = debug_files_find(&search, file, link, checksum, found, &is_refused);
    if (is_refused)
        note(module, "did not search for separate debug information",
             "a file with its name is a pipe or device, too large or damaged");
    return descriptor;
}

static void write_number(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Writes the addresses into the copy's section headers; skipped sections become unloaded there. */
static void write_layout(const struct elf *elf, uint8_t *copy)
{
    GElf_Ehdr header;
    bool is_64 = elf->address_size == 8;
    uint64_t width = is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (!gelf_getehdr(elf->handle, &header) || header.e_shoff > elf->file.size ||
        (elf->file.size - header.e_shoff) / width < elf->section_count)
        return;
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        uint8_t *at = copy + header.e_shoff + i * width;
        if (!section->is_loaded) {
            uint8_t *flags = at + (is_64 ? offsetof(Elf64_Shdr, sh_flags) : offsetof(Elf32_Shdr, sh_flags));
            *flags &= (uint8_t)~SHF_ALLOC;
        }
        write_number(at + (is_64 ? offsetof(Elf64_Shdr, sh_addr) : offsetof(Elf32_Shdr, sh_addr)),
                     section->is_loaded ? section->address : 0, elf->address_size);
    }
}

/* libdwfl assumes that symbol names are terminated, and searches all symbols for each relocation against an
   undefined symbol.  There is no other file to define it, so in the copy such symbols have no names, and all
   string tables are terminated. */
static void tame_symbols(const struct elf *elf, uint8_t *copy)
{
    size_t width = elf->address_size == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *table = &elf->sections[i];
        if ((table->type != SHT_SYMTAB && table->type != SHT_DYNSYM) || table->link >= elf->section_count)
            continue;
        struct span texts = elf->sections[table->link].contents;
        if (texts.size)
            copy[texts.data - elf->file.data + (ptrdiff_t)texts.size - 1] = 0;
        uint64_t count = elf_symbol_count(elf, table);
        GElf_Sym symbol;
        uint32_t section;
        for (uint64_t j = 0; j < count && elf_symbol(elf, table, j, &symbol, &section); j++)
            if (section == SHN_UNDEF) /* st_name is the first field of both kinds */
                memset(copy + (table->contents.data - elf->file.data) + j * width, 0, sizeof(Elf32_Word));
    }
}

static void adapt_copy(const struct elf *elf, uint8_t *copy)
{
    if (elf->type == ET_REL) {
        write_layout(elf, copy);
        tame_symbols(elf, copy);
    }
    /* libdwfl does not know Knights Corner, whose relocations and numbers of registers are those of x86-64. */
    if (elf->isa == isa_K1OM)
        write_number(copy + offsetof(Elf64_Ehdr, e_machine), EM_X86_64, sizeof(Elf64_Half));
}

static uint64_t lowest_address(const struct elf *elf)
{
    uint64_t lowest = NO_ADDRESS;
    for (uint32_t i = 1; i < elf->section_count; i++)
        if (elf->sections[i].is_loaded && elf->sections[i].address < lowest)
            lowest = elf->sections[i].address;
    return lowest;
}

/* The usual directories for debug files and the user's. */
static char *search_path(const char *directory)
{
    if (!directory)
        return memory_format(DEBUG_FILES_USUAL_PLACES);
    char *absolute = realpath(directory, NULL);
    char *path = memory_format(DEBUG_FILES_USUAL_PLACES ":%s", absolute ? absolute : directory);
    free(absolute);
    return path;
}

void module_open(struct module *module, struct elf *elf, const char *name, const struct read_options *options)
{
    *module = (struct module){.elf = elf, .search_path = search_path(options->debug_directory)};
    module->callbacks = (Dwfl_Callbacks){.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = find_debug_file,
                                         .section_address = section_address,
                                         .debuginfo_path = &module->search_path};
    struct span bytes = elf->file;
    if (!debug_files_may_unpack(elf->handle, elf->file.size)) {
        model_note_problem(elf->model, elf->program, problem_kind_LIMIT, NO_ADDRESS, 1,
                           "debug information skipped: its compressed sections are far too large");
        return;
    }
    if (elf->type == ET_REL || elf->isa == isa_K1OM) {
        bytes = module->copy = bytes_copy(elf->file);
        if (!bytes.data) {
            note(module, "debug information skipped", "out of memory");
            return;
        }
        adapt_copy(elf, (uint8_t *)bytes.data);
    }
    module->dwfl = dwfl_begin(&module->callbacks);
    if (module->dwfl) {
        dwfl_report_begin(module->dwfl);
        module->handle = dwfl_report_offline_memory(module->dwfl, name, name, (char *)bytes.data, bytes.size);
        dwfl_report_end(module->dwfl, NULL, NULL);
    }
    void **userdata;
    Dwarf_Addr start;
    if (!module->handle ||
        !dwfl_module_info(module->handle, &userdata, &start, NULL, NULL, NULL, NULL, NULL)) {
        module->handle = NULL;
        if (elf->has_debug)
            note(module, "cannot read the debug information", dwfl_errmsg(-1));
        return;
    }
    *userdata = module;
    uint64_t lowest = lowest_address(elf);
    if (elf->type == ET_REL && lowest != NO_ADDRESS)
        elf_move(elf, start - lowest);
}

void module_read_symbols(struct module *module)
{
    struct elf *elf = module->elf;
    if (!module->handle || elf->has_symbol_table || elf->type == ET_REL)
        return;
    GElf_Addr bias;
    Elf *own = dwfl_module_getelf(module->handle, &bias);
    int count = own ? dwfl_module_getsymtab(module->handle) : 0;
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word number;
        Elf *source = NULL;
        const char *name =
            dwfl_module_getsym_info(module->handle, i, &symbol, &address, &number, &source, NULL);
        if (!name || source == own || !source)
            continue;
        model_program(elf->model, elf->program)->has_symbols = 1;
        symbol.st_value = address - bias;
        elf_add_symbol(elf, name, &symbol, origin_SYMBOL);
    }
}

static Dwarf *debug_of(struct module *module)
{
    Dwarf_Addr bias;
    return module->handle ? dwfl_module_getdwarf(module->handle, &bias) : NULL;
}

void module_read_frames(struct module *module)
{
    Dwarf *debug = debug_of(module);
    Elf *file = debug ? dwarf_getelf(debug) : NULL;
    size_t names;
    if (!file || elf_getshdrstrndx(file, &names))
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
            header.sh_flags & SHF_COMPRESSED)
            continue;
        const char *name = elf_strptr(file, names, header.sh_name);
        if (!name || (strcmp(name, ".debug_frame") && strcmp(name, ".zdebug_frame")))
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf && data->d_size)
            elf_read_frames(module->elf, (struct span){data->d_buf, data->d_size}, 0, false);
        return;
    }
}

static bool has_unit(Dwarf *debug)
{
    Dwarf_Off next;
    size_t size;
    return dwarf_next_unit(debug, 0, &next, &size, NULL, NULL, NULL, NULL, NULL, NULL) == 0;
}

void module_read_debug(struct module *module, const struct model_part *part)
{
    struct elf *elf = module->elf;
    Dwarf *debug = debug_of(module);
    if (!debug) {
        if (module->handle && elf->has_debug)
            note(module, "cannot read the debug information", dwfl_errmsg(-1));
        return;
    }
    struct program *program = model_program(elf->model, elf->program);
    program->has_debug |= has_unit(debug);
    const char *own_file = NULL, *debug_file = NULL;
    dwfl_module_info(module->handle, NULL, NULL, NULL, NULL, NULL, &own_file, &debug_file);
    if (debug_file && (!own_file || strcmp(own_file, debug_file)))
        program->debug_file = model_string(elf->model, debug_file);
    struct error error = {0};
    if (!dwarf_read(elf->model, elf->program, module->handle, part, &error))
        note(module, "cannot read the debug information", error.set ? error.text : NULL);
}

void module_close(struct module *module)
{
    if (module->dwfl)
        dwfl_end(module->dwfl);
    free(module->search_path);
    bytes_free(module->copy);
}
