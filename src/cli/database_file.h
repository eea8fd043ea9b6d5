/* Databases that commands write: which files may be replaced, and --output when it names a database. */
#ifndef CLI_DATABASE_FILE_H
#define CLI_DATABASE_FILE_H
#include "cli/options.h"

/* Whether a database may be written there: without force only Assay's own databases are replaced. The folder
   must exist; this is checked before long work, not after it. */
bool database_may_write(const char *path, bool force, struct error *error);
/* The invocation without --output, for a session that must not open it. The caller frees given. */
struct invocation database_without_output(const struct invocation *invocation);
#endif
