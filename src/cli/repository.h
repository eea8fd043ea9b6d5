/* The repository that a program's sources are in: services that host code name files relative to its root. */
#ifndef CLI_REPOSITORY_H
#define CLI_REPOSITORY_H
#include "cli/options.h"

/* The real path of --root, else of the folder with .git around the current directory, else of that directory;
   to be freed. NULL: an error. */
char *repository_root(const struct invocation *invocation, struct error *error);
#endif
