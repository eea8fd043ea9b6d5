/* What SQLite says went wrong, for people. */
#ifndef STORE_PROBLEM_H
#define STORE_PROBLEM_H
#include <sqlite3.h>

/* Of the last call; good until the next. */
const char *store_problem(sqlite3 *connection);
#endif
