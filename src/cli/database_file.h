/* Databases that commands write: which files may be replaced, and --output where it names one. */
#ifndef CLI_DATABASE_FILE_H
#define CLI_DATABASE_FILE_H
#include "cli/options.h"

/* Whether a database may be put there: nothing is replaced but databases of ours, unless force says so; and
   the folder has to be there, which is better known before long work than after it. */
bool database_may_write(const char *path, bool force, struct error *error);
/* The invocation without --output, for a session that must not open it.  given is to be freed. */
struct invocation database_without_output(const struct invocation *invocation);
#endif
