/* Files in memory (memfd) that other programs read or write as /proc/self/fd/N: nothing is left behind
   however the process ends, and nobody else can tamper with them. */
#ifndef BASE_MEMORY_FILE_H
#define BASE_MEMORY_FILE_H
#include "base/error.h"

#include <stddef.h>

struct memory_file {
    int descriptor;
    char path[32]; /* for the arguments of a child (base/child.h) */
};
/* size bytes of data; 0 for a file that the child writes. */
bool memory_file_make(struct memory_file *file, const void *data, size_t size, struct error *error);
void memory_file_close(struct memory_file *file);
#endif
