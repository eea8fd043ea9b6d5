/* What lies beside a database: the journal of a write that was cut short, and the log of a database that
   another program wrote (WAL). */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H
#include "base/error.h"

/* Before a database is opened for reading.  *is_alone: it is to be opened as a file that nothing belongs to,
   because SQLite would put others beside it.  False, and an error, where part of the database is in a log. */
bool journal_may_read(const char *path, bool has_log, bool *is_alone, struct error *error);
/* Always false: says that a journal has to be undone first, and how. */
bool journal_refuse(const char *path, struct error *error);
/* Before it is opened for writing, when SQLite undoes whatever journal there is. */
bool journal_may_write(const char *path, struct error *error);
#endif
