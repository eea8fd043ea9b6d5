/* How one source file is compiled, so that it can be compiled again in a thousand ways.

   The words come from a user (`-- cc -O2 -c solve.c`), from compile_commands.json, or from the debug
   information of a program (what GCC and gfortran note with -grecord-gcc-switches).  They are taken apart
   once: the compiler, the options that decide what the source *means* (language, macros, folders of headers)
   and those that decide how it is *optimised*.  Source, output, -c and dependency files are dropped: a
   variant puts its own. */
#ifndef OPTIMISE_COMPILATION_H
#define OPTIMISE_COMPILATION_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

enum compiler_family { compiler_GCC, compiler_CLANG, compiler_GFORTRAN, compiler_FAMILIES };
enum source_language { source_C, source_CPP, source_FORTRAN };

struct compilation {
    char *compiler; /* absolute */
    char *version;  /* first line of --version */
    enum compiler_family family;
    enum source_language language;
    char *folder; /* absolute: where it runs, and what relative words mean */
    char *source; /* absolute */
    struct array
        meaning; /* of char *: -I, -D, -U, -include, -std=, -x, -f… that change the language, -m32 … */
    struct array tuning; /* of char *: -O…, -f…, -m…, --param …: what a search may replace */
};

bool compilation_from_words(const char *const *words, size_t count, const char *folder,
                            struct compilation *compilation, struct error *error);
/* The entry of the source in a compile_commands.json. */
bool compilation_from_commands_file(const char *path, const char *source, struct compilation *compilation,
                                    struct error *error);
/* The same source by another compiler of the list --compilers; tuning is translated as far as both know it.
 */
bool compilation_with_compiler(const struct compilation *compilation, const char *compiler,
                               struct compilation *other, struct error *error);
void compilation_free(struct compilation *compilation);
#endif
