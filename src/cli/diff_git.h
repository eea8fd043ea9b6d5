/* The two builds of assay diff --git: a commit and the working tree, or two commits, each built by the
   command after --. */
#ifndef CLI_DIFF_GIT_H
#define CLI_DIFF_GIT_H
#include "cli/session.h"
#include "run/launch/trees.h"

struct diff_git {
    struct trees trees;
    char *paths[trees_COUNT], *titles[trees_COUNT]; /* the program in both trees; what the output calls it */
};

/* The program is the operand before --, else the only one that both builds made. */
bool diff_git_build(struct diff_git *git, const struct invocation *invocation, struct error *error);
void diff_git_end(struct diff_git *git);
#endif
