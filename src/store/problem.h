/* SQLite's error messages, for users. */
#ifndef STORE_PROBLEM_H
#define STORE_PROBLEM_H
#include "store/store.h"

/* The error of the last call; valid until the next call. */
const char *store_problem(sqlite3 *connection);
/* For store_wrong_place. */
void store_note_place(struct store *store, const char *place);
#endif
