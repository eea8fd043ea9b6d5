/* "Did you mean …?" for tables and columns that SQL names and that are not there. */
#ifndef STORE_SUGGEST_H
#define STORE_SUGGEST_H
#include "store/store.h"

/* "; did you mean loops?" for what SQLite says of a statement, or "".  To be freed. */
char *suggest_name(struct store *store, const char *message, const char *sql);
#endif
