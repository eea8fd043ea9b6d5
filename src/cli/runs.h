/* Runs of programs that a database holds. */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H
#include "base/error.h"
#include <sqlite3.h>
#include <stdint.h>

/* Whether the table has rows, and the row `run` unless that is 0.  Returns 0, or the exit code with the error
   set; `how` says which command writes such a database. */
int runs_check(sqlite3 *connection, const char *table, int64_t run, const char *path, const char *how,
               struct error *error);
#endif
