/* Opens files named by another file, found in a folder or given on the command line. Such a name may be a
   pipe without a writer, a terminal or an endless device; only regular files are opened. A path that may be a
   stream (a script, rows of bytes) is not opened here. */
#ifndef BASE_REGULAR_FILE_H
#define BASE_REGULAR_FILE_H
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Opens a regular file for reading, without blocking. -1 if it is not one, with an error that says what it
   is. size and error may be NULL. */
int regular_file_open(const char *path, uint64_t *size, struct error *error);
/* Fills the buffer from the file's position on; returns the number of bytes read, or -1 with errno. */
int64_t regular_file_read(int file, void *buffer, size_t size);
/* The text of a file that is shorter than `most`, to be freed; NULL and an error if it is longer than what
   (such as "an analysis") can be, or not text. */
char *regular_file_text(const char *path, size_t most, const char *what, struct error *error);
#endif
