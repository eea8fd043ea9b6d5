/* See virtual_schema.c. */
#ifndef STORE_VIRTUAL_SCHEMA_H
#define STORE_VIRTUAL_SCHEMA_H
#include <sqlite3.h>
#include <stdbool.h>

/* Gives an empty database the tables of a model, as virtual tables of the module `model`, and Assay's views.
 */
bool virtual_schema_write(sqlite3 *connection);
#endif
