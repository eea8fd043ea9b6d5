/* The shape of a preprocessed C or C++ text: which declarations stand where, and in one function the loops
   and parameters.  All places are offsets in the text, which has no macros any more, so that they are exact.
 */
#ifndef CHANGE_OPTIMISE_EXTRACT_SHAPE_H
#define CHANGE_OPTIMISE_EXTRACT_SHAPE_H
#include "base/error.h"
#include "base/memory.h"
#include "change/optimise/compile/compilation.h"

enum shape_kind {
    shape_FUNCTION, /* a definition with a body */
    shape_VARIABLE,
    shape_OTHER,
    shape_SCOPE /* namespace or extern "C" { }: holds declarations */
};

struct shape_declaration {
    enum shape_kind kind;
    size_t start, end, name_at;
    size_t open; /* of the { of a scope or a body; 0: none */
    char *name, *mangled;
    bool is_static, is_extern, is_constant, is_written, is_anonymous, is_template, is_using, is_operator;
    bool is_local;        /* a static variable of a function */
    long long array_size; /* -1: no array, or not known */
};
/* A name that a declaration makes known besides its own: a member of an enumeration, a nested structure. */
struct shape_name {
    size_t at;
    char *name;
};
struct shape_loop {
    size_t start, end;
    unsigned first_line, last_line;
};
struct shape_parameter {
    size_t start, end, name_at;
    bool is_pointer, is_restrict, is_constant, is_array;
    char *name, *type;
};
struct shape {
    struct array declarations; /* in order of the text; scopes before what is in them */
    struct array names;
    struct array loops; /* of the function, outer ones first */
    struct array parameters;
    bool has_function;
    struct shape_declaration function; /* that contains the line; a member function or a template, too */
    bool is_in_class, is_nested;       /* in a class, in another function */
    unsigned function_line, function_last;
    struct arena memory;
};

/* file and line: of the source, as the line markers of the text say. */
bool shape_read(const struct compilation *compilation, const char *text, size_t size, const char *file,
                unsigned line, struct shape *shape, struct error *error);
void shape_free(struct shape *shape);
#endif
