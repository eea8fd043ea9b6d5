/* The command line of a compiler, taken apart so that nodes can be put in between compiler and assembler.

   gcc, clang, gfortran and wrappers of them (mpicc) share the options that matter here.  A line that makes no
   object file (-E, -S, -M, --version …), or whose objects do not come from a listing (-flto), is left to the
   compiler as it is. */
#ifndef RUN_PROBE_NODES_COMPILE_H
#define RUN_PROBE_NODES_COMPILE_H
#include "base/memory.h"

#include <stdbool.h>

enum compile_kind {
    COMPILE_AS_IS,   /* nothing for us to do; `why` may have a reason that a user should hear */
    COMPILE_OBJECTS, /* -c: an object for each source */
    COMPILE_PROGRAM, /* sources, if there are any, and linking */
};

enum compile_role {
    ROLE_OPTION,   /* for the compiler, and harmless when linking */
    ROLE_SOURCE,   /* a file that becomes a listing */
    ROLE_INPUT,    /* another file: object, library, assembly source */
    ROLE_OUTPUT,   /* -o and its word */
    ROLE_MODE,     /* -c */
    ROLE_LANGUAGE, /* -x and its word */
    ROLE_LINKER,   /* -l, -L, -Wl … */
    ROLE_DEPENDS,  /* -MD and the like */
    ROLE_MACHINE,  /* for the assembler, too: -m…, -Wa, --target */
};

struct compile_line {
    const char *const *words; /* the compiler first, NULL after the last */
    size_t count;
    size_t first;   /* of the words after the compiler's own, which may be two: ccache gcc */
    uint8_t *roles; /* enum compile_role, by word */
    uint8_t kind;   /* enum compile_kind */
    const char *why;
    const char *output;                                        /* of -o; NULL */
    bool makes_dependencies, names_dependencies, names_target; /* -MD or -MMD; -MF; -MT or -MQ */
    bool is_clang, is_static, is_relocatable;                  /* the latter: -r */
};

void compile_parse(struct compile_line *line, const char *const *words);
void compile_free(struct compile_line *line);

/* The name of the object that -c makes of a source: -o, or its name with .o; to be freed. */
char *compile_object_name(const struct compile_line *line, size_t source);

/* Words of the steps, each to be freed, NULL after the last.  `source` is the number of its word. */
struct array compile_to_listing(const struct compile_line *line, size_t source, const char *listing);
struct array compile_to_object(const struct compile_line *line, const char *listing, const char *object);
/* objects: by word; NULL where the word is not a source.  runtime: words to be added, or NULL. */
struct array compile_to_program(const struct compile_line *line, char *const *objects,
                                const char *const *runtime);
/* The compiler with one question, such as -dumpmachine. */
struct array compile_to_ask(const struct compile_line *line, const char *question);
void compile_words_free(struct array *words);
#endif
