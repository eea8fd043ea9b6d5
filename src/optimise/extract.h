/* A loop's function as a file of its own that compiles alone, and the same text with pragmas and attributes.

   For C and C++ libclang says which declarations the function needs; macros are kept as their text.
   Static functions and data that it uses: functions come along; data becomes `extern` under its own name, so
   that the function works on the program's data when it is linked with it or replayed (optimise/replay.h).
   Fortran: the text of the procedure with the `use` and module parts it needs.  Where that fails, the whole
   file is taken, and `why_whole` is the sentence.

   An extract knows the *places* in its text where things can be put; extract_variant makes the text of a
   variant. */
#ifndef OPTIMISE_EXTRACT_H
#define OPTIMISE_EXTRACT_H
#include "optimise/choices.h"

struct extract_parameter {
    char *name;
    bool is_pointer, is_restrict;
    char *type; /* of what it points to, as in the source */
};

struct extract {
    const struct compilation *compilation;
    char *text;
    char *function, *symbol; /* as in the source; as the linker sees it */
    unsigned loop_line; /* in text; line markers keep the source's own file and lines in debug information */
    unsigned source_line; /* of the loop's first line in the source */
    bool is_whole_file;
    char *why_whole;         /* NULL: it is not */
    struct array parameters; /* of struct extract_parameter */
    struct array statics;    /* of char *: symbols of data that were static in the source */
};

/* line: any line of the loop; of nested loops the innermost one that contains it. */
bool extract_loop(const struct compilation *compilation, unsigned line, struct extract *extract,
                  struct error *error);
/* The text with what a variant puts into the source; to be freed. */
char *extract_variant(const struct extract *extract, const struct choices *choices,
                      const struct variant *variant);
void extract_free(struct extract *extract);

/* The least intrusive change of the user's files that gives a variant: a unified diff (attributes and pragmas
   where these do all of it; else the function in a file of its own with its flags, or the flags as build
   lines, in words). to be freed. */
char *extract_patch(const struct extract *extract, const struct choices *choices,
                    const struct variant *variant, struct error *error);
#endif
