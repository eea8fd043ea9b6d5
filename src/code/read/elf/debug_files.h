/* Separate debug files, and guards against hostile debug information. */
#ifndef CODE_READ_ELF_DEBUG_FILES_H
#define CODE_READ_ELF_DEBUG_FILES_H
#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* The usual places: beside the file, in .debug beside it, and the system's. */
#define DEBUG_FILES_USUAL_PLACES ":.debug:/usr/lib/debug"

/* Whether libdw may unpack a file's compressed sections: a few megabytes can expand to gigabytes. */
bool debug_files_may_unpack(Elf *elf, uint64_t file_size);
/* Whether libdw may open this path: nothing there, a directory, or a file of sensible size. */
bool debug_files_may_open(const char *path);
/* The result of dwfl_standard_find_debuginfo for these directories (a list as above).  If one of the files
   that it would open is a pipe or device, far too large or damaged, there is no search. */
struct debug_search {
    Dwfl_Module *module;
    Elf *program;
    const char *places;
};
int debug_files_find(const struct debug_search *search, const char *file, const char *link,
                     GElf_Word checksum, char **found, bool *is_refused);
#endif
