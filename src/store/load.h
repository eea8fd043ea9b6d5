/* Loads tables of a database into a model, for analyses written in C. */
#ifndef STORE_LOAD_H
#define STORE_LOAD_H
#include "store/store.h"

/* Fills a new model (model_init) with the named tables, up to NULL. Ids are the same as in the database;
   references to tables that are not loaded become 0. All references are checked, so that code may follow ids
   as in a model that was just built. */
bool store_load(struct store *store, struct model *model, const char *const *tables, struct error *error);
#endif
