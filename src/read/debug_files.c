/* A file names its debug file, and libdwfl opens whatever has that name: a pipe makes it wait for ever, and
   of /dev/zero or a file of terabytes it computes a checksum.  So the names that it will try are looked at
   first. They are: the link (or, without one, the file's own name with and without ".debug") in the file's
   directory, in directories below that, and in absolute places under every end of the file's directory; for a
   shared debug file (dwz) also its last part in the place itself and in .dwz.  The name behind a symbolic
   link is tried as well. */
#include "read/debug_files.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_GIGABYTES = 8, MOST_NAMES = 2 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_harmless(const char *directory, const char *below, const char *name)
{
    struct stat facts;
    char *path = *name == '/' ? memory_copy_text(name, strlen(name))
                              : memory_format("%s%s%s/%s", directory, *below ? "/" : "", below, name);
    bool harmless = stat(path, &facts) != 0 || S_ISDIR(facts.st_mode) ||
                    (S_ISREG(facts.st_mode) && facts.st_size <= (off_t)LARGEST_GIGABYTES << 30);
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
