/* Loads tables of a database into a model, for analyses written in C. */
#ifndef STORE_LOAD_H
#define STORE_LOAD_H
#include "store/store.h"

/* Fills a new model (model_init) with the named tables, up to NULL. Ids are the same as in the database;
   references to tables that are not loaded become 0. All references are checked, so that code may follow ids
   as in a model that was just built. */
bool store_load(struct store *store, struct model *model, const char *const *tables, struct error *error);

/* The same in two steps, for commands that need the code of a few functions. The outline has the named
   tables, functions, blocks, loops and registers among them; the rows of the tables `later` are there but
   empty, so that ids are valid. */
bool store_load_outline(struct store *store, struct model *model, const char *const *tables,
                        const char *const *later, struct error *error);
/* The tables that store_load_functions fills, up to NULL: what `later` has to be. */
extern const char *const store_function_tables[];
/* Fills these tables with the rows of some functions (1 by id in wanted): instructions, encodings with
   operands and registers, edges, blocks of loops, paths, source lines, inlined calls. All others stay empty,
   but for one encoding of each kind: isa, class, element and vector length say what the program uses
   elsewhere. */
bool store_load_functions(struct store *store, struct model *model, const uint8_t *wanted,
                          struct error *error);
#endif
