/* A variant as a change of the user's files: a patch, and what to tell the build.

   In order of how little they change:
   1. what stands in the source (pragmas, attributes, restrict, promises), and options as GCC's attribute
      optimize where the file of choices says that it does the same for each of them;
   2. the function in a file of its own, which is compiled with the options: a new file, and the function is
      only declared where it was. Only where that is proven to give the code that was judged (own_proof.c);
   3. the options on the build line of the whole source.

   Programs that apply patches pass over the words before a diff. */
#ifndef CHANGE_OPTIMISE_APPLY_APPLY_H
#define CHANGE_OPTIMISE_APPLY_APPLY_H
#include "change/optimise/extract/extract.h"

struct applied {
    char *patch;        /* words and a unified diff, or words alone */
    char *source;       /* the changed text of the source; NULL: it stays as it is */
    char *own_name;     /* the new file, beside the source; NULL: there is none */
    char *own_text;     /* and its text */
    char *why_not_own;  /* why there is none though there are options; NULL: nobody asks */
    struct array flags; /* of char *: options of the new file, or of the source where there is none */
};

bool apply_variant(const struct extract *extract, const struct choices *choices,
                   const struct variant *variant, struct applied *applied, struct error *error);
void applied_free(struct applied *applied);
/* The command that compiles the new file (`text`, a path) to `object`: words of char *, NULL at the end;
   freed by extract_command_free. */
struct array applied_own_command(const struct extract *extract, const struct choices *choices,
                                 const struct variant *variant, const char *text, const char *object);
/* The text of the source with the function kept out of line, as a capture of it needs; to be freed; NULL: the
   error says why. */
char *apply_out_of_line(const struct extract *extract, const struct choices *choices, struct error *error);
/* The changed text of the source alone, with nothing said about options: to be freed; NULL: the error says
   why. The text as it is where the variant changes nothing there. */
char *apply_source(const struct extract *extract, const struct choices *choices,
                   const struct variant *variant, struct error *error);
#endif
