/* SQLite's error messages, for users. */
#ifndef STORE_PROBLEM_H
#define STORE_PROBLEM_H
#include <sqlite3.h>

/* The error of the last call; valid until the next call. */
const char *store_problem(sqlite3 *connection);
#endif
