/* Machine files in directories: what find.c and list.c share. */
#ifndef MACHINE_FIND_H
#define MACHINE_FIND_H
#include "machine/machine.h"

enum { LONGEST_NAME = 64 };

struct machine_names {
    char (*names)[LONGEST_NAME]; /* in order, each once; to be freed */
    size_t count;
};
struct machine_names machine_names_find(const char *const *directories, size_t directory_count);
/* The text of a machine's file, with a zero at its end, and where it is; NULL where it cannot be read.  Both
   are to be freed. */
char *machine_text(const char *name, const char *const *directories, size_t directory_count, char **path,
                   size_t *size, struct error *error);
#endif
