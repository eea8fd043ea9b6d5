/* Rules in SQL: each row that a query returns is a failure.  A row may say where: columns named file (or
   path) and line (or first_line). */
#include "code/check/check.h"

#include "store/problem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_ROWS = 100 };

/* name=value, name=value; to be freed. */
static char *row_text(sqlite3_stmt *statement)
{
    struct array text = ARRAY_OF(char);
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *value = (const char *)sqlite3_column_text(statement, i);
        char *cell = memory_format("%s%s=%s", i ? ", " : "", sqlite3_column_name(statement, i),
                                   value ? value : "NULL");
        memcpy(array_add_many(&text, strlen(cell)), cell, strlen(cell));
        free(cell);
    }
    *(char *)array_add(&text) = 0;
    return text.data;
}

/* The column of one of two names; -1: none. */
static int column_named(sqlite3_stmt *statement, const char *name, const char *other)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *it = sqlite3_column_name(statement, i);
        if (it && (!strcasecmp(it, name) || !strcasecmp(it, other)))
            return i;
    }
    return -1;
}

static void add_row(struct check *check, uint32_t place, sqlite3_stmt *statement)
{
    int file = column_named(statement, "file", "path"), line = column_named(statement, "line", "first_line");
    struct check_verdict *verdict = check_add_verdict(check, place, check_FAILS);
    verdict->text = row_text(statement);
    if (file >= 0 && sqlite3_column_type(statement, file) == SQLITE_TEXT)
        verdict->file = memory_format("%s", (const char *)sqlite3_column_text(statement, file));
    if (line >= 0 && sqlite3_column_int64(statement, line) > 0 &&
        sqlite3_column_int64(statement, line) < UINT32_MAX)
        verdict->line = (uint32_t)sqlite3_column_int64(statement, line);
}

/* Rows after the last that is shown are counted. */
static bool run(struct check *check, uint32_t place, struct store *store, sqlite3_stmt *statement,
                struct error *error)
{
    uint64_t rows = 0;
    int state;
    while ((state = sqlite3_step(statement)) == SQLITE_ROW)
        if (rows++ < MOST_ROWS)
            add_row(check, place, statement);
    if (state != SQLITE_DONE)
        return error_set(error, NULL, "%s", store_problem(store_connection(store)));
    if (rows > MOST_ROWS)
        check_add_verdict(check, place, check_FAILS)->text =
            memory_format("and %llu more rows", (unsigned long long)(rows - MOST_ROWS));
    if (!rows)
        check_add_verdict(check, place, check_HOLDS);
    return true;
}

bool check_ask_here(struct check *check, uint32_t place, struct store *store, struct error *error)
{
    struct store_choice none = {0};
    sqlite3_stmt *statement = NULL, *second = NULL;
    const char *rest = check_demand_at(check, place)->sql;
    bool done = store_prepare(store, rest, &none, &statement, &rest, error);
    if (done && (!statement || !sqlite3_column_count(statement)))
        done = error_set(error, NULL, "the rule needs a query: a select that must not return a row");
    if (done && store_prepare(store, rest, &none, &second, &rest, error) && second)
        done = error_set(error, NULL, "a rule has one query; this one goes on after its semicolon");
    done = done && !error->set && run(check, place, store, statement, error);
    sqlite3_finalize(statement);
    sqlite3_finalize(second);
    return done;
}
