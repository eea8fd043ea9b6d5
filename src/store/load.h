/* Tables of a database back into a model, for analyses that are written in C. */
#ifndef STORE_LOAD_H
#define STORE_LOAD_H
#include "store/store.h"

/* The model is new (model_init) and gets the tables of these names, up to NULL.  Ids are those of the
   database; references to tables that are not loaded become 0.  What the rows say of each other is checked,
   so that code may follow ids as in a model that was just built. */
bool store_load(struct store *store, struct model *model, const char *const *tables, struct error *error);
#endif
