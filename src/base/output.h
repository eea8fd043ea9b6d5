/* Files written for the user: each is replaced only when complete. It is written without a name (or under a
   temporary one), then renamed into place; a process that ends halfway leaves nothing behind if the file
   system has unnamed files.

   A file that replaces another gets its permissions, never wider ones; a new one follows the umask. A
   symbolic link stays, and its target is replaced. Input files are never replaced: code that opens a file for
   reading registers it here, and naming it as output is an error. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H
#include "base/error.h"
#include <stdio.h>

/* Registers a file, if it exists, as input: it must not be replaced. May be called from any thread. */
void output_spare(const char *path);
void output_spare_file(int file);
/* Whether output_open may write to this path. */
bool output_may_replace(const char *path, struct error *error);

/* Whether two paths are of one file, which need not be there yet; devices and pipes take any number of outputs. */
bool output_is_same(const char *one, const char *other);

struct output;
struct output *output_open(const char *path, struct error *error);
FILE *output_stream(struct output *output);
const char *output_path(const struct output *output);
bool output_finish(struct output *output, struct error *error); /* into place; frees */
void output_abandon(struct output *output);                     /* discards the output; frees */
#endif
