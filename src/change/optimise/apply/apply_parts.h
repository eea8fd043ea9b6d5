/* What the files about patches share. */
#ifndef CHANGE_OPTIMISE_APPLY_APPLY_PARTS_H
#define CHANGE_OPTIMISE_APPLY_APPLY_PARTS_H
#include "change/optimise/apply/apply.h"
#include "change/optimise/apply/source_places.h"

struct patching {
    const struct extract *extract;
    const struct choices *choices;
    const struct variant *variant;
    const char *text; /* of the source */
    struct source_places places;
    struct array edits;
    struct array flags;   /* of char *: what the source does not say */
    bool has_build_flags; /* some of them are the variant's own, not only what a pragma needs */
};

/* The function in a file of its own. */
struct own_file {
    char *path, *text;  /* of the new file */
    struct array edits; /* of the source */
    bool was_static;    /* the function could not be seen from other files before */
};
/* own_file.c; false: *why is the sentence, to be freed. own_file_free in any case. */
bool own_file_make(const struct patching *patching, struct own_file *own, char **why);
void own_file_free(struct own_file *own);
/* own_proof.c: the new file gives the code that was judged, and both objects together have what the source's
   object has. changed: the source without the function. */
bool own_file_prove(const struct patching *patching, const struct own_file *own, const char *changed,
                    char **why);
#endif
