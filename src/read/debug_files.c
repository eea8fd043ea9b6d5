/* A file names its debug file, and libdwfl opens whatever has that name: a pipe makes it wait for ever, and
   of /dev/zero or a file of terabytes it computes a checksum.  So the names that it will try are looked at
   first. They are: the link (or, without one, the file's own name with and without ".debug") in the file's
   directory, in directories below that, and in absolute places under every end of the file's directory; for a
   shared debug file (dwz) also its last part in the place itself and in .dwz.  The name behind a symbolic
   link is tried as well.

   Compressed sections are unpacked by libdw as soon as it opens a file.  Compilers reach a ratio of 3 to 10,
   zlib 1000, so what the headers say is added up before. */
#include "read/debug_files.h"

#include "base/memory.h"

#include <fcntl.h>
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

/* What the header of a compressed section says, 0 for others. */
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

bool debug_files_may_open(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) || S_ISDIR(facts.st_mode))
        return true;
    if (!S_ISREG(facts.st_mode) || facts.st_size > (off_t)LARGEST_GIGABYTES << 30)
        return false;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    elf_version(EV_CURRENT);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    bool may = !elf || elf_kind(elf) != ELF_K_ELF || debug_files_may_unpack(elf, (uint64_t)facts.st_size);
    elf_end(elf);
    if (file >= 0)
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

/* Under one place; directory is that of the file. */
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
            /* The file itself is no debug file of its own. */
            bool is_tried = names[i] != base || *place;
            harmless = !is_tried || place_is_harmless(place, directory, names[i]);
        }
    free(list);
    free(invented);
    free(directory);
    return harmless;
}

int debug_files_find(Dwfl_Module *handle, const char *places, const char *file, const char *link,
                     GElf_Word checksum, char **found)
{
    char *real = file ? realpath(file, NULL) : NULL;
    bool harmless =
        file && places_are_harmless(places, file, link) && (!real || places_are_harmless(places, real, link));
    free(real);
    if (!harmless)
        return dwfl_build_id_find_debuginfo(handle, NULL, NULL, 0, NULL, NULL, 0, found);
    return dwfl_standard_find_debuginfo(handle, NULL, NULL, 0, file, link, checksum, found);
}
