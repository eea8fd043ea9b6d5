/* Counting the operations of loops in the syntax tree that libclang made. */
#ifndef CODE_SOURCE_COUNT_H
#define CODE_SOURCE_COUNT_H
#include "base/hash_index.h"
#include "code/source/libclang.h"
#include "code/source/parts.h"

/* Cursors already seen, by libclang's own hash. */
struct cursor_set {
    struct array cursors; /* of struct clang_cursor */
    struct hash_index index;
};

/* A loop before loops of several instances of one template become one. */
struct counted_loop {
    struct found_loop loop;
    uint32_t offset;  /* of its first character in the file, where a macro is expanded: of the macro's name */
    uint32_t visit;   /* the function, or instance of a function template, it was met in */
    uint32_t ordinal; /* among loops of that visit with the same offset */
    bool is_elsewhere; /* not in the file that was asked for */
    bool is_dependent; /* its operands have unknown types */
};

struct counting {
    const struct libclang *clang;
    void *unit, *wanted; /* the translation unit; the file whose loops are asked for */
    bool is_cplusplus;
    const char *text; /* contents of that file */
    size_t text_size;
    struct array work;         /* of struct work: what is still to be visited, last first */
    struct array children;     /* of struct clang_cursor: of the node at hand */
    struct array loops;        /* of struct counted_loop */
    struct array instances;    /* of struct clang_cursor: functions made from templates, to be visited */
    struct cursor_set seen;    /* these, and */
    struct cursor_set aliases; /* references to elements of arrays */
    uint32_t visit;
};

/* A node that is still to be visited, the loop its operations belong to and what is done with it. */
struct work {
    struct clang_cursor cursor;
    uint32_t loop; /* 1 + index in loops; 0: none */
    uint32_t role;
};

/* The children of a node, in counting->children until the next call: how many. */
size_t counting_children(struct counting *counting, struct clang_cursor cursor);
/* Offsets in the wanted file; false if the place is in another one. */
bool counting_place(const struct counting *counting, struct clang_location location, uint32_t *line,
                    uint32_t *offset);
/* The text between two operands, without spaces and comments; empty if unknown. */
const char *counting_between(const struct counting *counting, struct clang_cursor left,
                             struct clang_cursor right, size_t *length);
/* The operations of a node and all below it, as if they were one iteration of a loop. */
void counting_statement(struct counting *counting, struct clang_cursor cursor, struct found_loop *sum);
/* Visits everything that a translation unit has in its main file and in the wanted one. */
void counting_visit(struct counting *counting);
/* The loops of the wanted file, with instances of templates merged; **templates counts those with unknown
   types. */
void counting_finish(struct counting *counting, struct array *loops, uint32_t *templates);
#endif
