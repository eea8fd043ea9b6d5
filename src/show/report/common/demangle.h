/* Names as in the source, for SQL. */
#ifndef SHOW_REPORT_COMMON_DEMANGLE_H
#define SHOW_REPORT_COMMON_DEMANGLE_H
#include "base/error.h"
#include <sqlite3.h>

/* Adds the SQL function demangle(name): the name as in the source, or name itself where it is not mangled. */
bool demangle_register(sqlite3 *connection, struct error *error);
#endif
