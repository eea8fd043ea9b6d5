/* Looking for separate debug files, as a callback of libdwfl. */
#ifndef READ_DEBUG_FILES_H
#define READ_DEBUG_FILES_H
#include <elfutils/libdwfl.h>

/* The usual places: beside the file, in .debug beside it, and the system's. */
#define DEBUG_FILES_USUAL_PLACES ":.debug:/usr/lib/debug"

/* What dwfl_standard_find_debuginfo finds in the places (a list as above).  Where one of the files that it
   would open is something to wait for (a pipe, a device) or far too large, only what the build-id finds. */
int debug_files_find(Dwfl_Module *handle, const char *places, const char *file, const char *link,
                     GElf_Word checksum, char **found);
#endif
