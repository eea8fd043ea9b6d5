/* A file that is either what it was or complete: written without a name (or beside), then renamed into place.
   A process that ends halfway leaves nothing behind where the file system knows unnamed files. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H
#include "base/error.h"
#include <stdio.h>

struct output;
struct output *output_open(const char *path, struct error *error);
FILE *output_stream(struct output *output);
const char *output_path(const struct output *output);
bool output_finish(struct output *output, struct error *error); /* into place; frees */
void output_abandon(struct output *output);                     /* nothing happened; frees */
#endif
