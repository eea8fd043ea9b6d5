/* Whether a database has the tables and views of this version. */
#ifndef STORE_SAME_SCHEMA_H
#define STORE_SAME_SCHEMA_H
#include "base/error.h"
#include <sqlite3.h>

/* Whether a view of this name is one of Assay's. */
bool same_schema_is_view(const char *name);
/* path is for the error. */
bool same_schema_check(sqlite3 *connection, const char *path, struct error *error);
#endif
