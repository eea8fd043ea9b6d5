/* Files that somebody else named: another file, a folder that was searched, a command line.  Such a name may
   lead to a pipe that nobody writes to, a terminal or a device that never ends; only a regular file is read.
   A path that a person gave for a stream (a script, rows of bytes) is not opened here. */
#ifndef BASE_REGULAR_FILE_H
#define BASE_REGULAR_FILE_H
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Opens a regular file to read, and never waits.  -1 where there is none, with an error that says what is
   there instead.  size and error may be NULL. */
int regular_file_open(const char *path, uint64_t *size, struct error *error);
/* Fills the buffer from the file's position on; the number of bytes that were there, -1 with errno. */
int64_t regular_file_read(int file, void *buffer, size_t size);
#endif
