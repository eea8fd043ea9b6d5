/* Folders that come with Assay or are the user's own: machines, analyses, runtimes. */
#ifndef CLI_FOLDERS_H
#define CLI_FOLDERS_H
#include "base/error.h"
#include "base/memory.h"

/* Of char *, in the order in which they are searched: those that the variable names, separated by colons; the
   user's own (~/.config/assay/KIND); the installed ones, found from where the program lies:
   ../share/assay/KIND beside bin, or ../KIND beside a build directory.  They need not be there. */
struct array folders_find(const char *variable, const char *kind);
/* The folder of what runs inside other people's processes: ASSAY_RUNTIME, runtime in a build directory, or
   assay in the folder of libraries; to be freed.  NULL and an error where there is none. */
char *folders_runtime(struct error *error);
void folders_free(struct array *folders);
#endif
