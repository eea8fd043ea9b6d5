/* What the files about extracts share. */
#ifndef CHANGE_OPTIMISE_EXTRACT_EXTRACT_PARTS_H
#define CHANGE_OPTIMISE_EXTRACT_EXTRACT_PARTS_H
#include "base/strings.h"
#include "change/optimise/extract/extract.h"
#include "change/optimise/extract/shape.h"

/* A text as the preprocessor left it, with the places that its line markers tell. */
struct marked_line {
    size_t at;      /* where the line begins */
    string_id file; /* of names */
    unsigned line;  /* there */
};
struct marked_text {
    char *text;
    size_t size;
    struct array lines; /* of struct marked_line */
    struct strings names;
};
/* With options `more` (NULL at the end) besides those of the compilation. */
bool marked_text_preprocess(const struct compilation *compilation, const char *const *more,
                            struct marked_text *marked, struct error *error);
void marked_text_index(struct marked_text *marked);
void marked_text_free(struct marked_text *marked);
const struct marked_line *marked_text_line(const struct marked_text *marked, size_t at);
const char *marked_text_file(const struct marked_text *marked, const struct marked_line *line);

/* A name of a file as it stands in a line marker, without the quotation marks; to be freed. */
char *extract_marker_name(const char *name);

/* shape_words.c: the function around a line and its loops, where libclang is not there to tell. */
void shape_by_words(const struct marked_text *marked, bool is_cpp, const char *file, unsigned line,
                    struct shape *shape);

/* A change of the text while it is written, or a place of it that is asked for. */
struct text_edit {
    size_t at, remove;
    char *insert;  /* NULL: nothing; freed with the edit */
    size_t *place; /* where at is in the result; NULL: nobody asks */
};
void text_edit_add(struct array *edits, size_t at, size_t remove, const char *insert);
void text_edit_mark(struct array *edits, size_t at, size_t *place);
void text_edits_free(struct array *edits);
/* Adds text[from, to) with the edits that lie in it; these must be in order (text_edits_sort). */
void text_edits_apply(struct array *result, const char *text, size_t from, size_t to,
                      const struct array *edits);
/* The same as a text of its own, to be freed. */
char *text_edits_text(const char *text, size_t from, size_t to, const struct array *edits);
void text_edits_sort(struct array *edits);

/* The text of one function of C or C++ and what it needs.  false: it cannot be taken alone; *why is the
   sentence, to be freed. */
bool extract_function(struct extract *extract, const struct marked_text *marked, const struct shape *shape,
                      const struct shape_loop *loop, char **why);
/* Edits of a declaration that comes along: data becomes extern, functions are not defined again. owner: the
   function that has these static variables; NULL: none. */
void extract_edit_data(struct extract *extract, const char *text, size_t start, size_t end,
                       const struct shape_declaration *const *variables, size_t count, const char *owner,
                       struct array *edits);
void extract_edit_function(const struct extract *extract, const char *text,
                           const struct shape_declaration *function, struct array *edits);
/* The function itself: its symbol must be in the object. */
void extract_edit_target(struct extract *extract, const char *text, const struct shape_declaration *function,
                         size_t start, bool is_hidden_name, struct array *edits);

bool extract_fortran(const struct compilation *compilation, unsigned line, struct extract *extract,
                     struct error *error);
/* Of a file that gfortran reads as it reads the source. */
const char *extract_fortran_suffix(const struct compilation *compilation);
/* Whether the text compiles as the user compiles it; *message is the first error, to be freed. */
bool extract_compiles(const struct extract *extract, char **message, struct error *error);
#endif
