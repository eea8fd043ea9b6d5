/* How one source file is compiled, so that it can be compiled again in a thousand ways.

   The words come from a user (`-- cc -O2 -c solve.c`), from compile_commands.json, or from the debug
   information of a program (what GCC and gfortran note with -grecord-gcc-switches).  They are taken apart
   once: the compiler, the options that decide what the source *means* (language, macros, folders of headers)
   and those that decide how it is *optimised*.  Source, output, -c, warnings, debug information and
   dependency files are dropped: a variant puts its own.  So are -flto and profiles: a variant is judged by
   its own object file.

   A user may give any option.  compile_commands.json and debug information are a stranger's: the compiler
   must be a known one, found in PATH by its name, and only options of
   change/optimise/compile/compiler_options.def that a stranger may give are kept (`dropped` says how many
   were not). */
#ifndef CHANGE_OPTIMISE_COMPILE_COMPILATION_H
#define CHANGE_OPTIMISE_COMPILE_COMPILATION_H
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
    char *folder; /* absolute: where it runs, and what relative words meant */
    char *source; /* absolute */
    /* of char *: -I, -D, -U, -include, -std=, -f… that change the language, -m32 …; paths are absolute */
    struct array meaning;
    struct array tuning; /* of char *: -O…, -f…, -m…, --param=…: what a search may replace */
    unsigned dropped;    /* options of a stranger that are not on the list */
};

/* source: the one that is meant where the words have several; NULL: they have one. */
bool compilation_from_words(const char *const *words, size_t count, const char *folder, const char *source,
                            struct compilation *compilation, struct error *error);
/* The entry of the source in a compile_commands.json. */
bool compilation_from_commands_file(const char *path, const char *source, struct compilation *compilation,
                                    struct error *error);
/* By what the debug information notes: DW_AT_producer, DW_AT_comp_dir, DW_AT_name.  Folders of headers and
   macros are not in it: where the source needs them, it does not compile, and the error says so later. */
bool compilation_from_producer(const char *producer, const char *folder, const char *source,
                               struct compilation *compilation, struct error *error);
/* Whether a file is a source, by its suffix, and of which language. */
bool compilation_is_source(const char *word, enum source_language *language);
/* recover.c: what is known of a compilation that nobody gives. */
struct compilation_trace {
    const char *source;            /* absolute */
    const char *commands;          /* a compile_commands.json; NULL: one near the source, if there is */
    const char *producer, *folder; /* of the debug information; NULL: none */
    const char *program;           /* whose debug information names its headers; NULL: none */
};
/* *is_guessed: by the debug information, which has no macros, and folders of headers only as far as they were
   read. */
bool compilation_recover(const struct compilation_trace *trace, struct compilation *compilation,
                         bool *is_guessed, struct error *error);
/* A compile_commands.json beside the source or above it, there or in a usual folder of builds; to be freed; NULL:
   none. */
char *compilation_find_commands(const char *source);
/* Whether both paths are one compiler.  Links to ccache and its like are the compilers that they are called. */
bool compilation_is_same_compiler(const char *left, const char *right);
/* The same source by another compiler of the list --compilers; tuning is translated as far as both know it.
   false for a compiler of another language, too. */
bool compilation_with_compiler(const struct compilation *compilation, const char *compiler,
                               struct compilation *other, struct error *error);
/* More options of the user's, after its own. false: one of them is none, or none of them can change the code
   (-flto, -o, -Wall …). */
bool compilation_add_options(struct compilation *compilation, const char *const *words, size_t count,
                             struct error *error);
void compilation_free(struct compilation *compilation);

const char *
compiler_family_name(enum compiler_family family); /* also the name of its file in data/compiler-options/ */
/* The compiler, meaning and tuning: added to words (of const char *), which own nothing. */
void compilation_words(const struct compilation *compilation, struct array *words);
/* Which of these options the compiler does not take: is_refused[i] of each word or group of words.  An option
   that it only warns about is refused, too. */
bool compilation_refuses(const struct compilation *compilation, const char *const *options, size_t count,
                         bool *is_refused, struct error *error);
#endif
