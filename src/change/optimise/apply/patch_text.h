/* Unified diffs, as `patch -p1` and `git apply` take them. */
#ifndef CHANGE_OPTIMISE_APPLY_PATCH_TEXT_H
#define CHANGE_OPTIMISE_APPLY_PATCH_TEXT_H
#include "change/optimise/extract/extract_parts.h"

/* Adds the diff of a file's text and its edits (of struct text_edit) to out (of char).  name: of the file,
 * without a/. */
void patch_put(struct array *out, const char *name, const char *text, struct array *edits);
/* A new file; its text ends with a newline. */
void patch_put_new(struct array *out, const char *name, const char *text);
#endif
