/* The nearest of several names, for "did you mean". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H
#include <stddef.h>

/* Edit distance of two words; SIZE_MAX if a word is too long to be a typing mistake. */
size_t nearest_edits(const char *left, const char *right);

struct nearest {
    const char *wanted;
    char *best; /* to be freed; NULL if none is near */
    size_t edits;
};
void nearest_offer(struct nearest *nearest, const char *name);
#endif
