/* The nearest of several names, for "did you mean". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H
#include <stddef.h>

/* Letters to put in, take out or change to make one word of the other; SIZE_MAX where a word is too long to
   be a slip of the pen. */
size_t nearest_edits(const char *left, const char *right);

struct nearest {
    const char *wanted;
    char *best; /* to be freed; NULL where none is near */
    size_t edits;
};
void nearest_offer(struct nearest *nearest, const char *name);
#endif
