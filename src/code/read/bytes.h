/* Whole files, read into memory of our own: a file that is shortened or rewritten meanwhile does no harm (a
   mapped file would end the process with SIGBUS). */
#ifndef CODE_READ_BYTES_H
#define CODE_READ_BYTES_H
#include "model/model.h"

/* Checks the first BYTES_OF_HEAD bytes of a file, or fewer; false, with an error, for unwanted files. */
enum { BYTES_OF_HEAD = 1 << 16 };
typedef bool bytes_check(const char *path, struct span head, struct error *error);
/* The contents of a regular file, read only if check accepts its head (NULL: accept any).  Fails with a
   one-line error for other kinds of files and for an empty file.  The memory is released by bytes_free. */
bool bytes_read(const char *path, bytes_check *check, struct span *bytes, struct error *error);
/* A copy of bytes, released in the same way; empty if memory does not suffice. */
struct span bytes_copy(struct span bytes);
void bytes_free(struct span bytes);
/* The number of newlines. */
size_t bytes_count_lines(struct span bytes);
/* Hands the memory over to the model, which releases it in model_free. */
void bytes_keep(struct model *model, struct span bytes);
#endif
