/* How a program can be built again, where nobody said: by its debug information and its libraries.

   The debug information names the sources of the program; each but the one that variants change is compiled
   once, as compile_commands.json or the debug information says, and linked with the libraries that the
   program loads. That does for programs whose sources are there and whose libraries are shared. For others
   the error says what to give. */
#ifndef CHANGE_OPTIMISE_COMPILE_RELINK_H
#define CHANGE_OPTIMISE_COMPILE_RELINK_H
#include "change/optimise/compile/compilation.h"

struct relink {
    char *command; /* for a shell: it takes $ASSAY_FLAGS, $ASSAY_SOURCE and $ASSAY_PROGRAM */
    char *folder;  /* of the object files; private */
};
/* program: its path; compilation: of the source that variants change. */
bool relink_begin(const char *program, const struct compilation *compilation, struct relink *relink,
                  struct error *error);
void relink_end(struct relink *relink);
/* A word for a shell, after others; both are the caller's. */
void relink_add_quoted(char **command, const char *word);
#endif
