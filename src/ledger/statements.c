/* Statements: kept prepared by their text, bound by letters, and their failures in plain words.

   A statement that is in use (rows are being read) and asked for again, by a loop within that loop, is
   prepared a second time and forgotten at its end. */
#include "ledger/parts.h"

#include "base/strings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 200 };

struct kept_statement {
    uint64_t hash;
    sqlite3_stmt *statement;
    bool is_used;
};

bool ledger_explain(struct ledger *ledger, struct error *error)
{
    int code = sqlite3_extended_errcode(ledger->connection);
    int cause = sqlite3_system_errno(ledger->connection);
    const char *path = ledger->path;
    switch (code & 0xff) {
    case SQLITE_FULL:
        return error_set(error, path,
                         "the disk is full; nothing of this change was stored, make room and try again");
    case SQLITE_IOERR:
        return error_set(error, path,
                         "cannot be read or written (%s); nothing of this change was stored, try again when "
                         "the disk is in order",
                         cause ? strerror(cause) : sqlite3_errstr(code));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, path, "another program has been writing to it for ten seconds; try again");
    case SQLITE_NOTADB:
        return error_set(error, path, "is not a ledger of Assay, nor any SQLite database");
    case SQLITE_CORRUPT:
        return error_set(error, path, "is damaged (%s); `sqlite3 %s .recover` prints what can be saved of it",
                         sqlite3_errmsg(ledger->connection), path);
    case SQLITE_READONLY:
        return error_set(error, path, "may not be written by you");
    case SQLITE_CANTOPEN:
        return error_set(error, path, "cannot be opened (%s)", cause ? strerror(cause) : "no reason given");
    default:
        return error_set(error, path, "%s", sqlite3_errmsg(ledger->connection));
    }
}

static void put_back(struct ledger *ledger, sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    for (size_t i = 0; i < ledger->statements.count; i++) {
        struct kept_statement *kept = ARRAY_AT(struct kept_statement, &ledger->statements, i);
        if (kept->statement == statement) {
            sqlite3_clear_bindings(statement);
            kept->is_used = false;
            return;
        }
    }
    sqlite3_finalize(statement);
}

void ledger_expect_statements(struct ledger *ledger)
{
    ledger->statements = ARRAY_OF(struct kept_statement);
}

void ledger_forget_statements(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->statements.count; i++)
        sqlite3_finalize(ARRAY_AT(struct kept_statement, &ledger->statements, i)->statement);
    array_free(&ledger->statements);
}

/* NULL: the statement is wrong, or the ledger cannot be read. */
static sqlite3_stmt *take_statement(struct ledger *ledger, const char *sql)
{
    uint64_t hash = strings_hash(sql, strlen(sql));
    bool is_known = false;
    for (size_t i = 0; i < ledger->statements.count; i++) {
        struct kept_statement *kept = ARRAY_AT(struct kept_statement, &ledger->statements, i);
        if (kept->hash != hash || strcmp(sqlite3_sql(kept->statement), sql))
            continue;
        is_known = true;
        if (kept->is_used)
            continue;
        kept->is_used = true;
        return kept->statement;
    }
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(ledger->connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL))
        return NULL;
    if (!is_known && ledger->statements.count < MOST_KEPT)
        *(struct kept_statement *)array_add(&ledger->statements) =
            (struct kept_statement){.hash = hash, .statement = statement, .is_used = true};
    return statement;
}

static int bind_all(sqlite3_stmt *statement, const char *types, va_list arguments)
{
    int status = SQLITE_OK;
    for (int at = 1; *types && status == SQLITE_OK; types++, at++)
        switch (*types) {
        case 'i':
            status = sqlite3_bind_int64(statement, at, va_arg(arguments, int64_t));
            break;
        case 'r': {
            double number = va_arg(arguments, double);
            status =
                isnan(number) ? sqlite3_bind_null(statement, at) : sqlite3_bind_double(statement, at, number);
            break;
        }
        case 't':
            status = sqlite3_bind_text(statement, at, va_arg(arguments, const char *), -1, SQLITE_TRANSIENT);
            break;
        case 'n':
            status = sqlite3_bind_null(statement, at);
            break;
        default:
            status = SQLITE_MISUSE;
        }
    return status;
}

bool ledger_do(struct ledger *ledger, struct error *error, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement = take_statement(ledger, sql);
    if (!statement)
        return ledger_explain(ledger, error);
    va_list arguments;
    va_start(arguments, types);
    int status = bind_all(statement, types, arguments);
    va_end(arguments);
    while (status == SQLITE_OK || status == SQLITE_ROW)
        status = sqlite3_step(statement);
    if (status != SQLITE_DONE)
        ledger_explain(ledger, error);
    put_back(ledger, statement);
    return status == SQLITE_DONE;
}

int64_t ledger_last_id(struct ledger *ledger)
{
    return sqlite3_last_insert_rowid(ledger->connection);
}

bool ledger_ask(struct ledger *ledger, struct ledger_rows *rows, struct error *error, const char *sql,
                const char *types, ...)
{
    *rows = (struct ledger_rows){.ledger = ledger, .statement = take_statement(ledger, sql)};
    if (!rows->statement)
        return ledger_explain(ledger, error);
    va_list arguments;
    va_start(arguments, types);
    rows->status = bind_all(rows->statement, types, arguments);
    va_end(arguments);
    if (rows->status == SQLITE_OK)
        return true;
    ledger_explain(ledger, error);
    put_back(ledger, rows->statement);
    return false;
}

bool ledger_next(struct ledger_rows *rows)
{
    if (rows->status == SQLITE_OK || rows->status == SQLITE_ROW)
        rows->status = sqlite3_step(rows->statement);
    return rows->status == SQLITE_ROW;
}

bool ledger_end(struct ledger_rows *rows, struct error *error)
{
    bool is_good = rows->status == SQLITE_OK || rows->status == SQLITE_ROW || rows->status == SQLITE_DONE;
    if (!is_good)
        ledger_explain(rows->ledger, error);
    put_back(rows->ledger, rows->statement);
    return is_good;
}

bool ledger_is_null(const struct ledger_rows *rows, int column)
{
    return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

int64_t ledger_integer(const struct ledger_rows *rows, int column)
{
    return sqlite3_column_int64(rows->statement, column);
}

double ledger_real(const struct ledger_rows *rows, int column)
{
    return ledger_is_null(rows, column) ? NAN : sqlite3_column_double(rows->statement, column);
}

const char *ledger_text(const struct ledger_rows *rows, int column)
{
    return (const char *)sqlite3_column_text(rows->statement, column);
}
