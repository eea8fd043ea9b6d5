/* Folders that come with Assay or belong to the user: machines, analyses, runtimes. */
#ifndef CLI_FOLDERS_H
#define CLI_FOLDERS_H
#include "base/error.h"
#include "base/memory.h"

/* Of char *, in search order: the folders in the environment variable, separated by colons; the user's own
   (~/.config/assay/KIND); the installed ones, relative to the executable: ../share/assay/KIND beside bin, or
   ../KIND beside a build directory. They need not exist. */
struct array folders_find(const char *variable, const char *kind);
/* The installed ones alone. */
struct array folders_installed(const char *kind);
/* The user's own one of them, to be freed; NULL: neither XDG_CONFIG_HOME nor HOME is set. */
char *folders_own(const char *kind);
/* The folder of the profiler and the tracer: ASSAY_RUNTIME, runtime in a build directory, or assay in the
   library folder; to be freed. NULL and an error if there is none. */
char *folders_runtime(struct error *error);
void folders_free(struct array *folders);
#endif
