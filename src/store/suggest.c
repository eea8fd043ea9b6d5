#include "store/suggest.h"

#include "base/nearest.h"
#include "store/tokens.h"

#include <stdlib.h>
#include <string.h>

static void offer_rows(sqlite3 *connection, const char *query, const char *text, size_t length,
                       struct nearest *nearest)
{
    sqlite3_stmt *rows = NULL;
    if (!sqlite3_prepare_v2(connection, query, -1, &rows, NULL)) {
        if (text)
            sqlite3_bind_text(rows, 1, text, (int)length, SQLITE_STATIC);
        while (sqlite3_step(rows) == SQLITE_ROW)
            if (sqlite3_column_type(rows, 0) == SQLITE_TEXT)
                nearest_offer(nearest, (const char *)sqlite3_column_text(rows, 0));
    }
    sqlite3_finalize(rows);
}

/* Columns of every table and view whose name is in the statement. */
static void offer_columns(sqlite3 *connection, const char *sql, struct nearest *nearest)
{
    size_t length;
    for (enum token_kind kind; (kind = token_next(sql, &length)) != TOKEN_END; sql += length)
        if (kind == TOKEN_WORD)
            offer_rows(connection,
                       "select p.name from sqlite_schema s, pragma_table_xinfo(s.name) p where s.name = ?1 "
                       "collate nocase and s.type in ('table', 'view')",
                       sql, length, nearest);
}

static const char *behind(const char *message, const char *beginning)
{
    return strncmp(message, beginning, strlen(beginning)) ? NULL : message + strlen(beginning);
}

char *suggest_name(struct store *store, const char *message, const char *sql)
{
    const char *table = behind(message, "no such table: "), *column = behind(message, "no such column: ");
    const char *wanted = table ? table : column, *dot = wanted ? strrchr(wanted, '.') : NULL;
    struct nearest nearest = {.wanted = dot ? dot + 1 : wanted};
    store_hold_supply(store, true); /* a suggestion is not worth computing the table */
    if (table)
        offer_rows(
            store_connection(store),
            "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite\\_%' "
            "escape '\\'",
            NULL, 0, &nearest);
    else if (column)
        offer_columns(store_connection(store), sql, &nearest);
    store_hold_supply(store, false);
    char *text = nearest.best ? memory_format("; did you mean %s?", nearest.best) : memory_format("%s", "");
    free(nearest.best);
    return text;
}
