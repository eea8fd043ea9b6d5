#include "show/report/common/ask.h"

#include "base/memory.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sqlite3_stmt *report_ask(const struct asked *asked, const char *sql, int64_t run, int64_t most,
                         struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(asked->connection, sql, -1, &statement, NULL) != SQLITE_OK) {
        error_set(error, asked->path, "%s", store_problem(asked->connection));
        return NULL;
    }
    int parameters = sqlite3_bind_parameter_count(statement);
    if (parameters >= 1)
        sqlite3_bind_int64(statement, 1, run);
    if (parameters >= 2)
        sqlite3_bind_int64(statement, 2, most);
    return statement;
}

bool report_count_rows(const struct asked *asked, const char *sql, int64_t run, uint64_t *count,
                       struct error *error)
{
    /* Around any query: it cannot stand in a file. */
    autofree char *counting = memory_format("select count(*) from (%s)", sql);
    sqlite3_stmt *statement = report_ask(asked, counting, run, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    *count = state == 1 ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return state >= 0;
}

int report_column_named(sqlite3_stmt *statement, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        if (!strcmp(sqlite3_column_name(statement, i), name))
            return i;
    return -1;
}

char *report_column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

double report_column_real(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN
                                                                 : sqlite3_column_double(statement, column);
}
