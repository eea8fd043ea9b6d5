/* Two states of a git repository, each built in a private folder by a command of the user.

   Nothing in the user's own folders is touched.  A state is a commit, or the working tree as it is: its
   tracked files and those that git does not ignore.  Each is a clone that shares the objects of the
   repository, so that a build may ask git for its version; submodules are not in it.  Nothing is fetched.

   Both are built under the same name, FOLDER/tree, one after the other, so that paths in debug information
   and in
   __FILE__ are the same; then the old one is moved to FOLDER/old.  The folder goes in any case: at the end,
   by Ctrl-C, and if Assay is killed. */
#ifndef RUN_LAUNCH_TREES_H
#define RUN_LAUNCH_TREES_H
#include "base/error.h"
#include "base/memory.h"
#include "run/launch/guard.h"

enum { trees_OLD, trees_NEW, trees_COUNT };

struct trees {
    char *folder;                   /* private */
    char *place;                    /* FOLDER/tree: where both were built */
    char *top;                      /* of the repository */
    char *inside;                   /* the current directory below the top: "" or "src/" */
    char *commits[trees_COUNT];     /* NULL: the working tree */
    char *names[trees_COUNT];       /* as the user gave them */
    char *roots[trees_COUNT];       /* where the trees are now; NULL: not built yet */
    struct array made[trees_COUNT]; /* of char *: programs that the build made, below the root, in order */
    struct array last_lines;        /* of char: the end of what a failed build wrote */
    struct guard guard;
};

/* range: REV (against the working tree) or A..B. */
bool trees_begin(struct trees *trees, const char *range, struct error *error);
/* Checks a state out and runs the command there, in the directory that corresponds to the current one. */
bool trees_build(struct trees *trees, int which, const char *const *words, struct error *error);
/* Also after a failed begin.  Ends the process by the signal that interrupted a build. */
void trees_end(struct trees *trees);
#endif
