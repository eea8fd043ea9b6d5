/* A database without the table has no runs either: an older Assay wrote it. */
#include "cli/runs.h"

#include "base/memory.h"

#include <stdlib.h>

static int64_t count_runs(sqlite3 *connection, const char *table, int64_t run)
{
    sqlite3_stmt *rows = NULL;
    int64_t count = -1;
    /* Of any table: it cannot stand in a file. */
    autofree char *query = memory_format("select count(*) from %s where ?1 in (0, id)", table);
    if (sqlite3_prepare_v2(connection, query, -1, &rows, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(rows, 1, run) == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW)
        count = sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    return count;
}

int runs_check(sqlite3 *connection, const char *table, int64_t run, const char *path, const char *how,
               struct error *error)
{
    int64_t all = count_runs(connection, table, 0);
    if (all < 1) {
        error_set(error, path, "contains no run; %s writes one", how);
        return 2;
    }
    if (run && count_runs(connection, table, run) < 1) {
        error_set(error, path, "has no run %lld, only %lld", (long long)run, (long long)all);
        return 1;
    }
    return 0;
}
