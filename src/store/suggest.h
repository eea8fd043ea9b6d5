/* "Did you mean …?" for tables and columns that do not exist. */
#ifndef STORE_SUGGEST_H
#define STORE_SUGGEST_H
#include "store/store.h"

/* "; did you mean loops?" for an error message of SQLite, or "". To be freed. */
char *suggest_name(struct store *store, const char *message, const char *sql);
#endif
