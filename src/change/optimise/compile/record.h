/* How a build compiles its sources: the build runs with a folder of small scripts first in PATH, each with the
   name of a compiler. A script writes down the words that it was called with, and becomes the compiler. So
   whatever starts compilers by their names is seen: make, ninja, scripts. A compiler that is named by its whole
   path is not; such builds (CMake, Meson) write a compile_commands.json themselves. */
#ifndef CHANGE_OPTIMISE_COMPILE_RECORD_H
#define CHANGE_OPTIMISE_COMPILE_RECORD_H
#include "base/error.h"
#include "base/memory.h"

/* One source that was compiled. */
struct record_entry {
    char *folder, *source; /* where the compiler ran; as it was named there */
    struct array words;    /* of char *: the compiler by its name, and its arguments */
};
struct record {
    struct array entries; /* of struct record_entry; of a source that was compiled twice the last */
    int exit_status;      /* of the build; -1: a signal ended it */
};
/* words end with NULL. false: the build could not be run, or no compiler was seen; the error says what to do. */
bool record_build(const char *const *words, struct record *record, struct error *error);
void record_free(struct record *record);
#endif
