/* Unified diffs, as `patch -p1` and `git apply` take them. */
#ifndef OPTIMISE_PATCH_TEXT_H
#define OPTIMISE_PATCH_TEXT_H
#include "optimise/extract/extract_parts.h"

/* Adds the diff of a file's text and its edits (of struct text_edit) to out (of char).  name: of the file,
 * without a/. */
void patch_put(struct array *out, const char *name, const char *text, struct array *edits);
/* A new file; its text ends with a newline. */
void patch_put_new(struct array *out, const char *name, const char *text);
#endif
