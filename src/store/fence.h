/* What a text in SQL, and a database, that somebody else wrote can reach in SQLite.  fence.c describes it. */
#ifndef STORE_FENCE_H
#define STORE_FENCE_H
#include <sqlite3.h>
#include <stdbool.h>

/* For every connection to a file that may be anybody's. */
void fence_connection(sqlite3 *connection);
/* Whether a name is in a list that ends with NULL, whatever the case of its letters. */
bool fence_is_among(const char *name, const char *const *names);
/* Whether a question may call this function; what is not known is refused. */
bool fence_allows_function(const char *name);
/* Whether a statement of a file's schema makes something that a database for Assay may have: a table, a view,
   an index.  A virtual table would run the code of its module, a trigger that of its author. */
bool fence_allows_schema(const char *sql);
#endif
