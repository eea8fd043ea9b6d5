/* assay show TABLE FILE: prints any table or view. */
#include "cli/commands.h"
#include "cli/queries.h"
#include "cli/session.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

/* Whether a query's first column contains a name; keeps the nearest one. */
static bool is_listed(sqlite3 *connection, const char *query, const char *parameter, struct nearest *nearest)
{
    sqlite3_stmt *rows = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(connection, query, -1, &rows, NULL) != SQLITE_OK)
        return false;
    if (parameter)
        sqlite3_bind_text(rows, 1, parameter, -1, SQLITE_STATIC);
    while (!found && sqlite3_step(rows) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        found = name && !strcmp(name, nearest->wanted);
        if (name && !found)
            nearest_offer(nearest, name);
    }
    sqlite3_finalize(rows);
    return found;
}

static bool not_there(struct error *error, const char *what, const struct nearest *nearest)
{
    if (nearest->best)
        return error_set(error, NULL, "no %s is called %s; did you mean %s?", what, nearest->wanted,
                         nearest->best);
    return error_set(error, NULL, "no %s is called %s", what, nearest->wanted);
}

static char *show_query(sqlite3 *connection, const struct invocation *invocation, struct error *error)
{
    const char *table = options_operand(invocation, 0), *sort = options_value(invocation, OPTION_SORT);
    bool falls = sort && sort[0] == '-';
    int64_t limit;
    struct nearest nearest = {.wanted = table}, nearest_column = {.wanted = sort ? sort + falls : ""};
    bool good = options_number(invocation, OPTION_LIMIT, INT64_MAX, &limit, error);
    /* Not pragma table_list: it looks up the columns of every view, which counts as reading their tables. */
    if (good && !is_listed(connection, query_named(cli_queries, "tables_and_views"), NULL, &nearest))
        good = not_there(error, "table or view", &nearest);
    if (good && sort &&
        !is_listed(connection, query_named(cli_queries, "columns_of"), table, &nearest_column))
        good = not_there(error, "column", &nearest_column);
    char *query = NULL; /* of the table and the column that the user names */
    if (good && sort)
        query = memory_format("select * from \"%s\" order by \"%s\"%s limit %lld", table, sort + falls,
                              falls ? " desc" : "", (long long)limit);
    else if (good)
        query = memory_format("select * from \"%s\" limit %lld", table, (long long)limit);
    free(nearest.best);
    free(nearest_column.best);
    return query;
}

int command_show(const struct invocation *invocation, struct error *error)
{
    struct session session;
    int code = 2;
    uint64_t count;
    if (session_open(&session, invocation, options_operand(invocation, 1), error)) {
        autofree char *query = show_query(session.connection, invocation, error);
        sqlite3_stmt *statement = NULL;
        if (query && sqlite3_prepare_v2(session.connection, query, -1, &statement, NULL) != SQLITE_OK)
            error_set(error, NULL, "%s", store_problem(session.connection));
        else if (query && report_rows(statement, &session.style, -1, session.out, &count, error))
            code = 0;
        sqlite3_finalize(statement);
    }
    return session_end(&session, code, error);
}
