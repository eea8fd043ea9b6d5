/* Files beside a database: the rollback journal of an interrupted write, and the log (WAL) of a database that
   another program has changed. */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H
#include "base/error.h"

/* Call before opening a database for reading. *is_alone: open it as immutable, because SQLite would otherwise
   create files beside it. False and an error if part of the database is in a log. */
bool journal_may_read(const char *path, bool has_log, bool *is_alone, struct error *error);
/* Always false: sets the error that a journal must be rolled back first, and how. */
bool journal_refuse(const char *path, struct error *error);
/* Call before opening a database for writing, when SQLite rolls back any journal. */
bool journal_may_write(const char *path, struct error *error);
#endif
