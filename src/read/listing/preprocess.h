/* Assembly that goes through the C preprocessor first (file.S), as gcc does it.

   The compiler's own preprocessor is run, and its output is laid out again so that every line stands where
   the line stood that it came from: what a header or a macro gave is on the line that asked for it, its lines
   joined by semicolons.  So line numbers remain those of the file.  Headers that are not there (a kernel's, a
   library's own) are passed over; the macros by which well-known projects begin and end functions are then
   taken as they mean it (preprocess.def). */
#ifndef READ_LISTING_PREPROCESS_H
#define READ_LISTING_PREPROCESS_H
#include "read/read.h"

/* By the name of the file, as compilers decide: .S and .sx. */
bool preprocess_is_wanted(const char *path);
/* Whether this may follow -D or -U: a name, perhaps parameters, perhaps = and a text.  Compilers hand the
   word on to programs of theirs, which take one that starts with @ for a file of options. */
bool preprocess_is_macro(const char *text);
/* *result is released by bytes_free.  missing gets the number of headers that were passed over. */
bool preprocess_assembly(const char *path, struct span text, enum isa isa, const struct read_options *options,
                         struct span *result, unsigned *missing, struct error *error);
#endif
