/* A build command of the user in a private folder: run without a shell, its output in a file, progress on the
   terminal, and the programs that it made. */
#ifndef RUN_LAUNCH_BUILDING_H
#define RUN_LAUNCH_BUILDING_H
#include "base/error.h"
#include "base/memory.h"

struct building {
    const char *const *words; /* end with NULL */
    const char *root;         /* where to look for programs */
    char *directory;          /* where the command runs */
    char *log;                /* file for its output */
    const char *name;         /* of what is built, for messages */
    struct array *made;       /* of char *, to be freed: files below the root, in order */
    struct array *last_lines; /* of char: the end of the output, if it failed */
};

/* false also if a signal interrupted it: the build has ended then. */
bool building_run(struct building *building, struct error *error);
/* Ends this process by the signal that interrupted a build, if one did, once everything is cleaned up. */
void building_end_if_interrupted(void);
#endif
