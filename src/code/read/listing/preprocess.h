/* Runs assembly through the C preprocessor first (file.S), as gcc does.

   The compiler's own preprocessor runs, and its output is laid out again so that every line keeps the number
   of the line it came from: the lines of a header or a macro are joined by semicolons on the line that used
   it.  Missing headers (a kernel's, a library's own) are skipped; preprocess.def then defines the macros that
   well-known projects use to begin and end functions. */
#ifndef CODE_READ_LISTING_PREPROCESS_H
#define CODE_READ_LISTING_PREPROCESS_H
#include "code/read/read.h"

/* By the name of the file, as compilers decide: .S and .sx. */
bool preprocess_is_wanted(const char *path);
/* Whether this may follow -D or -U: a name, perhaps parameters, perhaps = and a text.  Compilers pass it on
   to their subprograms, which take a word that starts with @ for a file of options. */
bool preprocess_is_macro(const char *text);
/* *result is released by bytes_free.  missing gets the number of skipped headers. */
bool preprocess_assembly(const char *path, struct span text, enum isa isa, const struct read_options *options,
                         struct span *result, unsigned *missing, struct error *error);
#endif
