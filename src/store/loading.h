/* Shared by load.c and load_functions.c: rows of a query become records. */
#ifndef STORE_LOADING_H
#define STORE_LOADING_H
#include "model/tables.h"
#include "store/load.h"

struct loading {
    sqlite3 *connection;
    struct model *model;
    struct error *error;
};

bool loading_damaged(struct loading *loading, const struct table_description *table, const char *what);
/* Selects the stored columns after the id (0 for a table without ids), in the order of ids or keys. The
   condition, or NULL, is SQL of ours. NULL: it cannot be prepared, and the error is set. */
sqlite3_stmt *loading_select(struct loading *loading, const struct table_description *table,
                             const char *condition);
/* Fills a zeroed record. */
bool loading_take(struct loading *loading, const struct table_description *table, sqlite3_stmt *rows,
                  void *record);
/* Empty rows for all ids of a table, in place of others, to be filled later; nothing for a table without
   ids.  Large tables are mapped: what nobody writes to takes no memory. */
bool loading_reserve(struct loading *loading, const struct table_description *table);
/* Checks the REFs of rows first to end - 1. */
bool loading_check_references(struct loading *loading, const struct table_description *table, size_t first,
                              size_t end);
/* Checks the instructions of a function. */
bool loading_check_function(struct loading *loading, uint32_t function);
/* Checks where the instructions of blocks first to end - 1 are. */
bool loading_check_blocks(struct loading *loading, uint32_t first, uint32_t end);
#endif
