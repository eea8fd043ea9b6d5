/* Guards libdwfl's search for debug files. libdwfl opens whatever has the name that a file gives for its
   debug file: a pipe makes it wait for ever, and of /dev/zero or a file of terabytes it computes a checksum.
   So we check all names that it will try first, and skip the search if one of them is suspicious.  The names
   are: the build-id, of the file and of what it shares with others (dwz), in absolute places; the link (or,
   without one, the file's own name with and without ".debug") in the file's directory, in directories below
   that, and in absolute places under every end of the file's directory; for a shared debug file (dwz) also
   its last part in the place itself and in .dwz.  The name after a symbolic link is tried as well.

   libdw unpacks compressed sections as soon as it opens a file.  Compilers reach a ratio of 3 to 10, zlib can
   reach 1000, so the sizes in the headers are added up and checked before. */
#include "code/read/elf/debug_files.h"

#include "base/memory.h"
#include "base/regular_file.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_GIGABYTES = 8, LARGEST_UNPACKED_MEGABYTES = 64, LARGEST_RATIO = 32, MOST_NAMES = 2 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The uncompressed size in the header of a compressed section; 0 for other sections. */
static uint64_t unpacked_size(Elf *elf, size_t names, Elf_Scn *section)
{
    GElf_Shdr header;
    GElf_Chdr compressed;
    if (!gelf_getshdr(section, &header))
        return 0;
    if (header.sh_flags & SHF_COMPRESSED)
        return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
    const char *name = elf_strptr(elf, names, header.sh_name);
    Elf_Data *data = name && !strncmp(name, ".zdebug", 7) ? elf_rawdata(section, NULL) : NULL;
    if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4))
        return 0;
    uint64_t size = 0;
    for (int i = 4; i < 12; i++)
        size = size << 8 | ((const uint8_t *)data->d_buf)[i];
    return size;
}

bool debug_files_may_unpack(Elf *elf, uint64_t file_size)
{
    uint64_t left = ((uint64_t)LARGEST_UNPACKED_MEGABYTES << 20) + LARGEST_RATIO * file_size;
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return true;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        uint64_t size = unpacked_size(elf, names, section);
        if (size > left)
            return false;
        left -= size;
    }
    return true;
}

/* libdwfl assumes that symbol names are terminated. */
static bool texts_end(Elf *elf)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Data *texts = elf_rawdata(elf_getscn(elf, header.sh_link), NULL);
        if (texts && texts->d_buf && texts->d_size && ((const char *)texts->d_buf)[texts->d_size - 1])
            return false;
    }
    return true;
}

bool debug_files_may_open(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) || S_ISDIR(facts.st_mode))
        return true;
    uint64_t size = 0;
    int file = regular_file_open(path, &size, NULL);
    if (file < 0 || size > (uint64_t)LARGEST_GIGABYTES << 30) {
        if (file >= 0)
            close(file);
        return false;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    bool may = !elf || elf_kind(elf) != ELF_K_ELF || (debug_files_may_unpack(elf, size) && texts_end(elf));
    elf_end(elf);
    close(file);
    return may;
}

static bool is_harmless(const char *directory, const char *below, const char *name)
{
    char *path = *name == '/' ? memory_copy_text(name, strlen(name))
                              : memory_format("%s%s%s/%s", directory, *below ? "/" : "", below, name);
    bool harmless = debug_files_may_open(path);
    free(path);
    return harmless;
}

/* Where libdwfl looks for a file by its build-id. */
static bool id_is_harmless(const char *places, struct span id)
{
    enum { SHORTEST_ID = 3, LONGEST_ID = 64 };
    if (id.size < SHORTEST_ID || id.size > LONGEST_ID)
        return true;
    char name[sizeof ".build-id//.debug" + 2 * LONGEST_ID], *at = name;
    at += sprintf(at, ".build-id/%02x/", id.data[0]);
    for (size_t i = 1; i < id.size; i++)
        at += sprintf(at, "%02x", id.data[i]);
    strcpy(at, ".debug");
    char *list = memory_copy_text(places, strlen(places)), *rest = list;
    bool harmless = true;
    for (char *place; harmless && (place = strsep(&rest, ":"));)
        harmless = *place != '/' || is_harmless(place, "", name);
    free(list);
    return harmless;
}

/* The build-id of a shared debug file (dwz): it follows the file's name. */
static struct span shared_id(Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return (struct span){0};
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        Elf_Data *data = name && !strcmp(name, ".gnu_debugaltlink") ? elf_rawdata(section, NULL) : NULL;
        const uint8_t *zero = data && data->d_buf ? memchr(data->d_buf, 0, data->d_size) : NULL;
        if (zero)
            return (struct span){zero + 1, data->d_size - (size_t)(zero + 1 - (const uint8_t *)data->d_buf)};
    }
    return (struct span){0};
}

/* Both the program and its debug file can have a link to a shared file. */
static bool ids_are_harmless(const struct debug_search *search, const char *file)
{
    const unsigned char *id = NULL;
    GElf_Addr address;
    int size = dwfl_module_build_id(search->module, &id, &address);
    if (size > 0 && !id_is_harmless(search->places, (struct span){id, (size_t)size}))
        return false;
    if (!id_is_harmless(search->places, shared_id(search->program)))
        return false;
    int opened = file ? regular_file_open(file, NULL, NULL) : -1;
    Elf *elf = opened >= 0 ? elf_begin(opened, ELF_C_READ, NULL) : NULL;
    bool harmless = !elf || elf_kind(elf) != ELF_K_ELF || id_is_harmless(search->places, shared_id(elf));
    elf_end(elf);
    if (opened >= 0)
        close(opened);
    return harmless;
}

/* Under one directory for debug files; directory is that of the file. */
static bool place_is_harmless(const char *place, const char *directory, const char *name)
{
    if (*place != '/')
        return is_harmless(directory, place, name) && is_harmless(directory, ".dwz", last_part(name));
    if (!is_harmless(place, "", last_part(name)) || !is_harmless(place, ".dwz", last_part(name)) ||
        !is_harmless(place, "", name))
        return false;
    for (const char *end = strchr(directory, '/'); end; end = strchr(end + 1, '/'))
        if (!is_harmless(place, end + 1, name))
            return false;
    return true;
}

static bool places_are_harmless(const char *places, const char *file, const char *link)
{
    const char *base = last_part(file);
    char *directory =
        base == file ? memory_copy_text(".", 1) : memory_copy_text(file, (size_t)(base - file - 1));
    char *invented = memory_format("%s.debug", base);
    char *list = memory_copy_text(places, strlen(places)), *rest = list;
    const char *names[MOST_NAMES] = {link ? link : invented, link ? link : base};
    bool harmless = true;
    for (char *place; harmless && (place = strsep(&rest, ":"));)
        for (int i = 0; harmless && i < MOST_NAMES; i++) {
            /* A file is not its own debug file. */
            bool is_tried = names[i] != base || *place;
            harmless = !is_tried || place_is_harmless(place, directory, names[i]);
        }
    free(list);
    free(invented);
    free(directory);
    return harmless;
}

int debug_files_find(const struct debug_search *search, const char *file, const char *link,
                     GElf_Word checksum, char **found, bool *is_refused)
{
    const char *places = search->places;
    char *real = file ? realpath(file, NULL) : NULL;
    bool harmless = ids_are_harmless(search, file) && (!file || places_are_harmless(places, file, link)) &&
                    (!real || places_are_harmless(places, real, link));
    free(real);
    *is_refused = !harmless;
    if (!harmless)
        return -1;
    return dwfl_standard_find_debuginfo(search->module, NULL, NULL, 0, file, link, checksum, found);
}
