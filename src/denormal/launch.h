/* How a program is started under a runtime: its words, its environment, and what both need in the folder of
   the recordings. */
#ifndef DENORMAL_LAUNCH_H
#define DENORMAL_LAUNCH_H
#include "denormal/denormal.h"

struct denormal_launch {
    char *file;               /* to be executed; searched in PATH if it has no slash */
    struct array words;       /* of char *, NULL behind the last */
    struct array environment; /* of char *, NULL behind the last */
};

bool denormal_prepare(struct denormal_launch *launch, const struct denormal_options *options,
                      const struct denormal_program *program, const char *folder, struct error *error);
void denormal_free_launch(struct denormal_launch *launch);
#endif
