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

/* For a server, which computes with a few functions, then with others. Blocks and calls, which are most of an
   outline, wait as well: `later` of store_load_outline is store_visit_tables, up to NULL. */
extern const char *const store_visit_tables[];
enum { visit_OUTLINE = 1, visit_CODE = 2 };
/* One encoding of each kind, as store_load_functions has them: what the program uses. */
bool store_load_kinds(struct store *store, struct model *model, struct error *error);
/* Empties store_visit_tables and fills them with the rows of some functions: by id in wanted, visit_OUTLINE
   for blocks and calls, visit_CODE for all rows, 0 for none. Encodings get new numbers, from
   1, so that what looks at all of them is quick; all other ids are those of the database. */
bool store_visit_functions(struct store *store, struct model *model, const uint8_t *wanted,
                           struct error *error);
#endif
