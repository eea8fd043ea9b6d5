/* Names of data: which variable of a file an address belongs to.

   Three sources, the best first: variables of the debug information, where the model has the file; symbols of
   data in the file itself; the section that the address lies in.  The names of a file are sorted by address
   at their first use, and kept with the model. A size, where known, is checked: an address between variables
   belongs to none. */
#include "run/denormal/parts.h"

#include "base/path.h"
#include "run/launch/elf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SYMBOLS = 4000000, MOST_ALIASES = 32 };

struct datum {
    uint64_t address, size;
    string_id name;
};
enum { rank_VARIABLE, rank_SYMBOL, rank_SECTION, rank_COUNT };

struct data_of_file {
    string_id path;
    uint32_t program;
    struct array ranks[rank_COUNT]; /* of struct datum, by address */
};

static void release_files(void *memory)
{
    struct array *files = memory;
    for (size_t i = 0; i < files->count; i++)
        for (unsigned rank = 0; rank < rank_COUNT; rank++)
            array_free(&ARRAY_AT(struct data_of_file, files, i)->ranks[rank]);
    array_free(files);
    free(files);
}

static uint64_t bytes_of_type(const struct model *model, uint32_t id)
{
    for (unsigned i = 0; i < MOST_ALIASES && id && id < model->types.count; i++) {
        const struct type *type = model_type(model, id);
        if (type->bytes || (type->kind != type_kind_TYPEDEF && type->kind != type_kind_QUALIFIED))
            return type->bytes;
        id = type->target;
    }
    return 0;
}

static void read_variables(struct model *model, uint32_t program, struct array *data)
{
    for (uint32_t i = 1; i < model->locations.count; i++) {
        const struct location *location = model_location(model, i);
        if (location->kind != location_kind_ADDRESS || location->variable >= model->variables.count)
            continue;
        const struct variable *variable = model_variable(model, location->variable);
        uint64_t bytes = bytes_of_type(model, variable->type);
        if (variable->program == program && variable->name && bytes)
            *(struct datum *)array_push(data) =
                (struct datum){(uint64_t)location->value, bytes, variable->name};
    }
}

static void read_symbol_table(struct model *model, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                              struct array *data)
{
    Elf_Data *bytes = elf_getdata(section, NULL);
    size_t count = bytes && header->sh_entsize ? bytes->d_size / header->sh_entsize : 0;
    for (size_t i = 1; i < count && i < MOST_SYMBOLS; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(bytes, (int)i, &symbol))
            return;
        if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF || !symbol.st_size)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && *name)
            *(struct datum *)array_push(data) =
                (struct datum){symbol.st_value, symbol.st_size, model_string(model, name)};
    }
}

static void read_file(struct model *model, const char *path, struct data_of_file *into)
{
    size_t names;
    struct elf_file file = elf_file_open(path[0] == '/' ? path : NULL, INT64_MAX);
    Elf *elf = file.elf;
    bool has_names = elf && !elf_getshdrstrndx(elf, &names);
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            read_symbol_table(model, elf, section, &header, &into->ranks[rank_SYMBOL]);
        const char *name = has_names ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && *name && header.sh_flags & SHF_ALLOC && !(header.sh_flags & SHF_TLS))
            *(struct datum *)array_push(&into->ranks[rank_SECTION]) =
                (struct datum){header.sh_addr, header.sh_size, model_string(model, name)};
    }
    elf_file_close(&file);
}

static int by_address(const void *left, const void *right)
{
    const struct datum *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size); /* the largest last: it is looked at first */
}

static const struct data_of_file *data_of(struct model *model, const struct places_loaded *module)
{
    struct array *files = model_kept(model, release_files);
    if (!files) {
        files = memory_get(sizeof *files);
        *files = ARRAY_OF(struct data_of_file);
        model_keep(model, files, release_files);
    }
    string_id path = model_string(model, module->path);
    for (size_t i = 0; i < files->count; i++) {
        struct data_of_file *file = ARRAY_AT(struct data_of_file, files, i);
        if (file->path == path && file->program == module->program)
            return file;
    }
    struct data_of_file made = {.path = path, .program = module->program};
    for (unsigned rank = 0; rank < rank_COUNT; rank++)
        made.ranks[rank] = ARRAY_OF(struct datum);
    if (module->program && module->program < model->programs.count)
        read_variables(model, module->program, &made.ranks[rank_VARIABLE]);
    read_file(model, module->path, &made);
    for (unsigned rank = 0; rank < rank_COUNT; rank++)
        if (made.ranks[rank].count)
            qsort(made.ranks[rank].data, made.ranks[rank].count, sizeof(struct datum), by_address);
    struct data_of_file *file = array_add(files);
    *file = made;
    return file;
}

/* The one that begins last at or before the address, and holds it. */
static const struct datum *datum_at(const struct array *data, uint64_t address)
{
    const struct datum *datum = array_last_at(data, offsetof(struct datum, address), address);
    return datum && address - datum->address < datum->size ? datum : NULL;
}

string_id denormal_name_data(struct model *model, const struct places_loaded *module, uint64_t address,
                             bool is_program)
{
    const struct data_of_file *file = data_of(model, module);
    const char *where = path_name(module->path);
    char *text = NULL;
    for (unsigned rank = 0; rank < rank_COUNT && !text; rank++) {
        const struct datum *datum = datum_at(&file->ranks[rank], address);
        if (!datum)
            continue;
        const char *name = model_text(model, datum->name);
        uint64_t offset = address - datum->address;
        if (rank == rank_SECTION)
            text = memory_format("%s of %s", name, where);
        else if (offset)
            text = memory_format("%s+%llu%s%s%s", name, (unsigned long long)offset, is_program ? "" : " (",
                                 is_program ? "" : where, is_program ? "" : ")");
        else
            text = memory_format("%s%s%s%s", name, is_program ? "" : " (", is_program ? "" : where,
                                 is_program ? "" : ")");
    }
    if (!text)
        text = memory_format("data of %s", where);
    string_id id = model_string(model, text);
    free(text);
    return id;
}
