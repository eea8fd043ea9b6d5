/* Names of C++ and Rust functions as the source has them, through libiberty, and those of procedures in
   Fortran modules (bugs::total). */
#ifndef REPORT_COMMON_DEMANGLE_H
#define REPORT_COMMON_DEMANGLE_H
#include "base/error.h"
#include <sqlite3.h>

/* The name as in the source, to be freed, or NULL where name is not mangled (or names nothing sensible). */
char *demangle_name(const char *name);
/* Adds the SQL function demangle(name): the name as in the source, or name itself where it is not mangled. */
bool demangle_register(sqlite3 *connection, struct error *error);
#endif
