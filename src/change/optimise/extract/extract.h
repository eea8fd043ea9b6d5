/* A loop's function as a file of its own that compiles alone, and the same text with pragmas and attributes.

   C and C++: the source is preprocessed by its own compiler, libclang finds declarations, loops and
   parameters in that text, and what the function needs is kept by name.  Line markers keep the source's own
   files and lines in debug information.  Static functions that it uses come along; other functions of the
   file come along for inlining only (they are not defined again).  Data that was static becomes `extern`
   under its own name, hidden, so that the function works on the program's data when it is linked with it or
   replayed (change/optimise/replay/replay.h); constants, and data that nobody writes, stay as they are.
   Fortran: the text of the procedure, in its module reduced to the declarations and the procedures that it
   uses. Where that fails, the whole file is taken, and `why_whole` is the sentence.

   An extract knows the *places* in its text where things can be put; extract_variant makes the text of a
   variant. */
#ifndef CHANGE_OPTIMISE_EXTRACT_EXTRACT_H
#define CHANGE_OPTIMISE_EXTRACT_EXTRACT_H
#include "change/optimise/compile/choices.h"

struct extract_parameter {
    char *name;
    bool is_pointer, is_restrict;
    bool is_constant; /* the pointer itself cannot be assigned */
    char *type;       /* of what it points to, as in the source */
    /* in text */
    size_t name_at;  /* of its name */
    size_t array_at; /* after the first [ of an array parameter; 0: it is none */
};

/* A declaration of the source file outside of functions, by its lines there. */
enum extract_piece_kind {
    extract_piece_OTHER,
    extract_piece_TARGET, /* the function */
    extract_piece_HEAD,   /* a static declaration of it */
    extract_piece_CALLEE, /* another function, which is there for inlining only */
    extract_piece_SHARED, /* data that was static and is now shared */
    extract_piece_DATA,   /* other data that is only declared, or becomes static */
    extract_piece_SCOPE   /* the begin or end of a namespace, or a pragma */
};
struct extract_piece {
    enum extract_piece_kind kind;
    bool is_needed;
    bool is_function; /* a definition */
    unsigned first_line, last_line;
    char *text; /* of shared and other data: what it became; else NULL */
};

struct extract {
    const struct compilation *compilation;
    char *text;
    const char *suffix;      /* of a file with this text: ".i", ".ii", ".c", ".cpp", ".f90", ".f" */
    char *function, *symbol; /* as in the source; as the linker sees it in an object made of the text */
    char *
        program_symbol; /* as it is called in the program, where that can be another one (static functions) */
    unsigned loop_line; /* in text */
    unsigned source_line; /* of the loop's first line in the source */
    unsigned source_last; /* and its last */
    unsigned
        function_line; /* of the source, where its definition begins, and the word there; C and C++ only */
    char *function_word;
    char *source_file; /* where these lines are: the source, or a header of it */
    bool has_callees;  /* other functions with bodies came along, so inlining matters */
    bool is_whole_file;
    char *why_whole;     /* NULL: it is not */
    bool has_own_symbol; /* the object of the text defines symbol; false: the loop may be in another function
                          */
    struct array parameters; /* of struct extract_parameter */
    /* of char *: symbols of data that were static in the source.  One of a function (static int count;) is
       called NAME.N in programs, and here NAME..FUNCTION (codelet_find_static). */
    struct array statics;
    struct array pieces; /* of struct extract_piece, in order; empty where the whole file is taken */
    /* places in text; SIZE_MAX: there is none */
    size_t loop_at;      /* where a pragma goes: before the loop */
    size_t attribute_at; /* before the declaration of the function */
    size_t body_at;      /* after its { */
};

/* line: any line of the loop; of nested loops the innermost one that contains it. */
bool extract_loop(const struct compilation *compilation, unsigned line, struct extract *extract,
                  struct error *error);
/* The text with what a variant puts into the source; to be freed. */
char *extract_variant(const struct extract *extract, const struct choices *choices,
                      const struct variant *variant);
/* The command that compiles the text of a variant, in the file `text` (absolute, named with suffix), to
   `object`: words of char *, NULL at the end; freed by extract_command_free.  Runs anywhere, best in a
   private folder (gfortran writes modules); writes debug lines. */
struct array extract_command(const struct extract *extract, const struct choices *choices,
                             const struct variant *variant, const char *text, const char *object);
void extract_command_free(struct array *words);
void extract_free(struct extract *extract);
#endif
