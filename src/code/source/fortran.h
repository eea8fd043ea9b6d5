/* What the files of the Fortran part share. */
#ifndef CODE_SOURCE_FORTRAN_H
#define CODE_SOURCE_FORTRAN_H
#include "code/source/parts.h"

/* The lines of the statement with one of our labels; 0 if a number is not one of our labels. */
struct fortran_lines {
    uint32_t first, last;
};
enum { FORTRAN_LABELS = 100000 };
#define FORTRAN_SCRATCH UINT32_MAX

struct fortran_text {
    struct array text;           /* of char: the source with labels */
    struct fortran_lines *lines; /* FORTRAN_LABELS of them, by label */
    bool has_includes;           /* loops without a label may come from elsewhere */
};
/* Gives a label to each statement that may be or contain a loop, so that the dump shows their lines. */
void fortran_label(struct fortran_text *result, struct span source, bool is_fixed, size_t width);
void fortran_text_free(struct fortran_text *text);

/* A variable, component or function of the dump. */
struct fortran_symbol {
    bool is_known, is_floating, is_array;
    string_id derived; /* name of its derived type */
};

struct fortran_dump {
    struct found_source *found;
    const struct fortran_text *text;
    struct strings names;
    struct array symbols; /* of struct fortran_symbol: by id of "scope:name", "type%component" and "name" */
    struct array stack;   /* of struct fortran_open: constructs that are open */
    struct array frames;  /* of the expression at hand */
    string_id scope;      /* the procedure whose symbols or code are read */
    struct found_loop scratch; /* for operations whose loop is not known yet */
    uint32_t target; /* FORTRAN_SCRATCH, or 1 + index of the loop that operations are counted for; 0: none */
    uint32_t loop;   /* the same: the innermost loop that is written as one, or WHERE */
    bool is_muted;   /* nothing is evaluated here */
    uint32_t line, last_line; /* of the current statement; 0: unknown */
};

struct fortran_value {
    bool is_floating, is_array;
};

/* Reads the dump that gfortran made of the labelled text. */
void fortran_read_dump(struct fortran_dump *dump, const char *text, size_t size);

struct fortran_symbol *fortran_symbol(struct fortran_dump *dump, const char *scope, size_t scope_length,
                                      char mark, const char *name, size_t name_length, bool make);
/* A new loop at the current line; 1 + its index. 0 if the line is unknown: it is counted as misplaced. */
uint32_t fortran_add_loop(struct fortran_dump *dump, uint32_t parent);
/* Counts the operations of one expression; *at is after it afterwards. */
struct fortran_value fortran_expression(struct fortran_dump *dump, const char **at, const char *end);
/* The arguments of a call statement, of which only the addresses are passed. */
void fortran_arguments(struct fortran_dump *dump, const char **at, const char *end);
#endif
