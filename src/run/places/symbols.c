/* Names of code that the model does not have: libraries too large to be read for a few events, code that
   occurs only in stacks, deleted files.

   Function symbols of a file are read at first use, and kept with the model; a file that cannot be read gives
   "file+0x1234". Symbols without a size reach to the next one. Libraries have several names for much of their
   code; the plainest is shown: printf, not _IO_printf, frexp, not frexpf64. */
#include "run/places/loaded.h"

#include "base/path.h"
#include "run/launch/elf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SYMBOLS = 4000000 }; /* of a file: with more it is damaged */

struct symbol_name {
    uint64_t address, size;
    uint32_t underscores, length; /* of the name: underscores that it begins with, characters */
    string_id name;
};

struct named_file {
    string_id path;
    struct array symbols; /* of struct symbol_name, by address */
};

static void release_files(void *memory)
{
    struct array *files = memory;
    for (size_t i = 0; i < files->count; i++)
        array_free(&ARRAY_AT(struct named_file, files, i)->symbols);
    array_free(files);
    free(files);
}

/* Of the names of one place, the plainest last: that is the one that is found. */
static int by_address(const void *left, const void *right)
{
    const struct symbol_name *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (!a->size != !b->size)
        return a->size ? 1 : -1;
    if (a->underscores != b->underscores)
        return a->underscores > b->underscores ? -1 : 1;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static void read_table(struct model *model, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                       struct array *symbols)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 1; i < count && i < MOST_SYMBOLS; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return;
        int type = GELF_ST_TYPE(symbol.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && *name)
            *(struct symbol_name *)array_push(symbols) =
                (struct symbol_name){symbol.st_value, symbol.st_size, (uint32_t)strspn(name, "_"),
                                     (uint32_t)strlen(name), model_string(model, name)};
    }
}

static void read_symbols(struct model *model, const char *path, struct array *symbols)
{
    struct elf_file file = elf_file_open(path, INT64_MAX);
    Elf *elf = file.elf;
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            read_table(model, elf, section, &header, symbols);
    }
    if (symbols->count)
        qsort(symbols->data, symbols->count, sizeof(struct symbol_name), by_address);
    elf_file_close(&file);
}

static const struct array *symbols_of(struct model *model, const char *path)
{
    struct array *files = model_kept(model, release_files);
    if (!files) {
        files = memory_get(sizeof *files);
        *files = ARRAY_OF(struct named_file);
        model_keep(model, files, release_files);
    }
    string_id wanted = model_string(model, path);
    for (size_t i = 0; i < files->count; i++) {
        struct named_file *file = ARRAY_AT(struct named_file, files, i);
        if (file->path == wanted)
            return &file->symbols;
    }
    struct array symbols = ARRAY_OF(struct symbol_name);
    if (path[0] == '/') /* others are the kernel's names, such as [vdso] */
        read_symbols(model, path, &symbols);
    struct named_file *file = array_add(files);
    *file = (struct named_file){wanted, symbols};
    return &file->symbols;
}

static string_id symbol_at(const struct array *symbols, uint64_t address)
{
    const struct symbol_name *symbol = array_last_at(symbols, offsetof(struct symbol_name, address), address);
    if (!symbol)
        return 0;
    return !symbol->size || address - symbol->address < symbol->size ? symbol->name : 0;
}

string_id places_name_symbol(struct model *model, const char *path, uint64_t address)
{
    return path && *path ? symbol_at(symbols_of(model, path), address) : 0;
}

string_id places_name_code(struct model *model, const char *path, uint64_t address)
{
    static const char deleted[] = " (deleted)"; /* as the kernel marks deleted files */
    if (!path || !*path)
        return model_string(model, "code not in any file");
    string_id symbol = places_name_symbol(model, path, address);
    const char *file = path_name(path);
    size_t length = strlen(file);
    if (length > sizeof deleted - 1 && !strcmp(file + length - (sizeof deleted - 1), deleted))
        length -= sizeof deleted - 1;
    char *text = symbol ? memory_format("%s (%.*s)", model_text(model, symbol), (int)length, file)
                        : memory_format("%.*s+0x%llx", (int)length, file, (unsigned long long)address);
    string_id name = model_string(model, text);
    free(text);
    return name;
}
