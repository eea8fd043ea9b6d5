/* Files that are written for the user: each is either what it was or complete.  It is written without a name
   (or beside), then renamed into place; a process that ends halfway leaves nothing behind where the file
   system knows unnamed files.

   A file that takes another's place has its permissions, never wider ones; a new one follows the umask.  A
   symbolic link stays, and the file that it names is replaced.  What the process reads is never replaced:
   whoever opens a file for reading says so here, and to name it as output is an error. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H
#include "base/error.h"
#include <stdio.h>

/* The file, if there is one, is read: it must not be replaced.  May be called from any thread. */
void output_spare(const char *path);
void output_spare_file(int file);
/* Whether output_open may replace what is there, if anything is. */
bool output_may_replace(const char *path, struct error *error);

struct output;
struct output *output_open(const char *path, struct error *error);
FILE *output_stream(struct output *output);
const char *output_path(const struct output *output);
bool output_finish(struct output *output, struct error *error); /* into place; frees */
void output_abandon(struct output *output);                     /* nothing happened; frees */
#endif
