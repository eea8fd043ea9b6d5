/* What the files of this room share. */
#ifndef CHANGE_EXPLORE_EXPLORE_PARTS_H
#define CHANGE_EXPLORE_EXPLORE_PARTS_H
#include "change/explore/explore.h"

/* explore_object.c: compiles into folder/loop.o. *problem: why there is none; *ignored: as in the attempt; both to
   be freed. others: words at the end, up to NULL; NULL: none. */
struct explore_object {
    const struct compilation *compilation;
    const char *const *others;
    const char *folder;
    unsigned seconds;
};
bool explore_object_compile(const struct explore_object *object, char **problem, char **ignored,
                            struct error *error);

/* explore_place.c: the innermost loops made of a line of a file, of uint32_t, in order: those that it is in, else
   those inside the loop that it is in. NULL, or why there are none; to be freed. */
char *explore_place_find(const struct model *model, const char *file, unsigned line, struct array *loops);
#endif
