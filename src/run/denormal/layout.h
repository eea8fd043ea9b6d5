/* How the user says that arrays are laid out: parts of an array that are arrays of their own, each with a name, a
   range of elements and a type.  docs/denormals.md shows the file. */
#ifndef RUN_DENORMAL_LAYOUT_H
#define RUN_DENORMAL_LAYOUT_H
#include "base/error.h"
#include "base/memory.h"

#include <stdint.h>

enum layout_type { layout_REAL, layout_FLOAT, layout_DOUBLE, layout_COMPLEX, layout_INTEGER };
struct layout_part {
    uint64_t first, count; /* elements of the array, from 0; count 0: all that follow */
    enum layout_type type;
    char *name;
    unsigned line;
};
struct layout_array {
    char *name;
    struct array parts; /* of struct layout_part, ascending */
    uint64_t lowest;    /* number of the first element, as the file counts */
    unsigned line;
};
struct denormal_layout {
    char *path;
    struct array arrays; /* of struct layout_array */
};

/* NULL: the error says what is wrong, with file and line. */
struct denormal_layout *denormal_layout_read(const char *path, struct error *error);
struct denormal_layout *denormal_layout_text(const char *path, const char *text, size_t size,
                                             struct error *error);
void denormal_layout_free(struct denormal_layout *layout); /* NULL is nothing */
/* NULL: none of this name. */
const struct layout_array *denormal_layout_of(const struct denormal_layout *layout, const char *name);
#endif
