/* Makes the tables of a model available as SQL tables of a connection. */
#ifndef STORE_VIRTUAL_H
#define STORE_VIRTUAL_H
#include "model/model.h"
#include <sqlite3.h>

/* Creates all tables and views.  The model must outlive the connection. */
bool virtual_create(sqlite3 *connection, const struct model *model, struct error *error);
#endif
