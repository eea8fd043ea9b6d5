/* How a source was compiled, where nobody says: a compile_commands.json near it, else the debug information.

   Debug information has the options of the compiler but neither folders of headers nor macros. Of the folders
   it tells what they held: the headers that were read. So their folders, and those above them as far as the
   project goes, are searched like folders of -I: #include "sub/part.h" needs the folder above sub.  Macros are
   guessed as far as they leave traces. */
#include "change/optimise/compile/compilation_parts.h"

#include "base/path.h"
#include "base/regular_file.h"
#include "code/source/parts.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FOLDERS = 200, MOST_SOURCE = 16 << 20, MOST_OTHERS = 100 };

static char *commands_at(const char *path, size_t length)
{
    for (const char *const *place = source_build_folders; *place; place++) {
        char *file = memory_format("%.*s%scompile_commands.json", (int)length, path, *place);
        if (!access(file, R_OK))
            return file;
        free(file);
    }
    return NULL;
}

char *compilation_find_commands(const char *source)
{
    char *file = NULL;
    for (size_t length = strlen(source); !file && length; length -= length > 0) {
        while (length && source[length - 1] != '/')
            length--;
        file = length ? commands_at(source, length) : NULL;
    }
    return file;
}

/* --- folders of headers --- */
static bool is_added(const struct array *words, const char *folder)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(*ARRAY_AT(const char *, words, i), folder))
            return true;
    return false;
}

static bool is_systems(const char *path)
{
    return !strncmp(path, "/usr/include", 12) || !strncmp(path, "/usr/lib", 8) || !strncmp(path, "/lib", 4);
}

/* How much of two paths is the same, in whole parts. */
static size_t common_length(const char *a, const char *b)
{
    size_t common = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            common = i;
    return common;
}

static void add_folder(struct array *folders, const char *folder, size_t length)
{
    char *copy = memory_copy_text(folder, length);
    if (length && folders->count < MOST_FOLDERS && !is_added(folders, copy) && !access(copy, R_OK | X_OK))
        *(char **)array_push(folders) = copy;
    else
        free(copy);
}

/* The folders of headers of a unit: first those that held them, then those above. */
static void folders_of_unit(Dwarf_Die *unit, const char *directory, struct array *folders)
{
    Dwarf_Files *files;
    size_t count = 0;
    if (dwarf_getsrcfiles(unit, &files, &count))
        return;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const char *name = dwarf_filesrc(files, i, NULL, NULL);
            if (!name || !*name)
                continue;
            autofree char *joined = source_join_path(directory, name), *path = realpath(joined, NULL);
            if (!path || is_systems(path))
                continue;
            autofree char *folder = path_folder(path);
            size_t least = common_length(path, directory);
            if (!pass)
                add_folder(folders, folder, strlen(folder));
            for (size_t length = strlen(folder); pass && length > least && length > 1;) {
                while (length > 1 && folder[length - 1] != '/')
                    length--;
                length--;
                if (length >= least)
                    add_folder(folders, folder, length);
            }
        }
}

/* Those of another unit: a header that has nothing but #include leaves no trace in the unit that reads it, but the
   headers that it leads to have their folders in others.  Each folder is looked at once. */
static void folders_of_other(Dwarf_Die *unit, struct array *seen, struct array *folders)
{
    Dwarf_Files *files;
    Dwarf_Attribute attribute;
    size_t count = 0;
    const char *base =
        dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
    if (dwarf_getsrcfiles(unit, &files, &count))
        return;
    for (size_t i = 0; i < count && seen->count < MOST_FOLDERS; i++) {
        const char *name = dwarf_filesrc(files, i, NULL, NULL);
        if (!name || !*name)
            continue;
        autofree char *joined = source_join_path(base ? base : "/", name), *folder = path_folder(joined);
        if (is_added(seen, folder))
            continue;
        autofree char *path = realpath(folder, NULL);
        if (path && !is_systems(path))
            add_folder(folders, path, strlen(path));
        *(char **)array_push(seen) = memory_copy_text(folder, strlen(folder));
    }
}

static bool is_unit(Dwarf_Die *die, const char *source)
{
    Dwarf_Attribute name, folder;
    const char *file = dwarf_attr_integrate(die, DW_AT_name, &name) ? dwarf_formstring(&name) : NULL;
    const char *base = dwarf_attr_integrate(die, DW_AT_comp_dir, &folder) ? dwarf_formstring(&folder) : "/";
    if (!file)
        return false;
    autofree char *joined = source_join_path(base ? base : "/", file), *path = realpath(joined, NULL);
    return path && !strcmp(path, source);
}

static void add_folders(const char *option, const struct array *folders, const struct array *known,
                        struct compilation *compilation)
{
    for (size_t i = 0; i < folders->count; i++) {
        const char *folder = *ARRAY_AT(const char *, folders, i);
        autofree char *word = memory_format("%s%s", option, folder);
        if (!known || !is_added(known, folder))
            compilation_add(&compilation->meaning, word);
    }
}

static void add_header_folders(const char *program, const char *source, const char *directory,
                               struct compilation *compilation)
{
    struct array own = ARRAY_OF(char *), others = ARRAY_OF(char *), seen = ARRAY_OF(char *);
    int file = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, child;
    uint8_t type;
    unsigned units = 0;
    while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &child)) {
        if (is_unit(&die, source))
            folders_of_unit(&die, directory, &own);
        else if (units++ < MOST_OTHERS)
            folders_of_other(&die, &seen, &others);
    }
    add_folders("-I", &own, NULL, compilation);
    add_folders("-idirafter", &others, &own, compilation); /* they hide nothing */
    array_free_texts(&own);
    array_free_texts(&others);
    array_free_texts(&seen);
    if (dwarf)
        dwarf_end(dwarf);
    if (file >= 0)
        close(file);
}

/* --- macros --- */
/* Debug information has no -D.  Three are found by what they leave: a source that asks for HAVE_CONFIG_H has a
   config.h near it; one with assertions, in a program that cannot fail one, was compiled with -DNDEBUG; and a
   program that calls checked versions of functions (__memcpy_chk) with -D_FORTIFY_SOURCE. */
struct imports {
    bool fails_assertions, is_fortified;
};

static struct imports find_imports(const char *program)
{
    struct imports found = {0};
    int file = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    elf_version(EV_CURRENT);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ_MMAP, NULL) : NULL;
    Elf_Scn *section = NULL;
    while (elf && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        for (size_t i = 0; i < data->d_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            const char *name =
                gelf_getsym(data, (int)i, &symbol) ? elf_strptr(elf, header.sh_link, symbol.st_name) : NULL;
            size_t length = name ? strlen(name) : 0;
            found.fails_assertions |= name && !strcmp(name, "__assert_fail");
            found.is_fortified |= length > 6 && !strncmp(name, "__", 2) && !strcmp(name + length - 4, "_chk");
        }
    }
    elf_end(elf);
    if (file >= 0)
        close(file);
    return found;
}

/* The folder of a config.h: beside the source, above it, or where it was compiled; to be freed; NULL: none. */
static char *find_config(const char *source, const char *directory)
{
    enum { UPWARDS = 3 };
    autofree char *built = memory_format("%s/config.h", directory);
    if (!access(built, R_OK))
        return memory_format("%s", directory);
    char *folder = path_folder(source);
    for (unsigned i = 0; i < UPWARDS; i++) {
        autofree char *file = memory_format("%s/config.h", folder);
        if (!access(file, R_OK))
            return folder;
        char *above = path_folder(folder);
        free(folder);
        folder = above;
    }
    free(folder);
    return NULL;
}

static void add_macros(const char *program, const char *source, const char *directory,
                       struct compilation *compilation)
{
    struct error ignored = {0};
    autofree char *text = regular_file_text(source, MOST_SOURCE, "a source", &ignored);
    if (!text || compilation->language == source_FORTRAN)
        return;
    struct imports imports = find_imports(program);
    autofree char *folder = strstr(text, "HAVE_CONFIG_H") ? find_config(source, directory) : NULL;
    if (folder) {
        autofree char *option = memory_format("-I%s", folder);
        compilation_add(&compilation->meaning, "-DHAVE_CONFIG_H");
        compilation_add(&compilation->meaning, option);
    }
    if (!imports.fails_assertions && strstr(text, "assert"))
        compilation_add(&compilation->meaning, "-DNDEBUG");
    if (imports.is_fortified)
        compilation_add(&compilation->meaning, "-D_FORTIFY_SOURCE=2");
}

bool compilation_recover(const struct compilation_trace *trace, struct compilation *compilation,
                         bool *is_guessed, struct error *error)
{
    autofree char *found =
        trace->commands ? memory_format("%s", trace->commands) : compilation_find_commands(trace->source);
    struct error first = {0};
    *is_guessed = false;
    if (found && compilation_from_commands_file(found, trace->source, compilation, &first))
        return true;
    if (found && trace->commands) {
        *error = first;
        return false;
    }
    *is_guessed = true;
    if (!trace->producer)
        return error_set(error, trace->source, "the debug information does not say how it was compiled");
    if (!compilation_from_producer(trace->producer, trace->folder, trace->source, compilation, error))
        return false;
    autofree char *source = realpath(trace->source, NULL);
    if (trace->program && source) {
        const char *folder = trace->folder ? trace->folder : "/";
        add_header_folders(trace->program, source, folder, compilation);
        add_macros(trace->program, source, folder, compilation);
    }
    return true;
}
