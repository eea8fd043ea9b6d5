#include "show/lsp/message.h"

#include "show/lsp/queries.h"

#include <stdlib.h>
#include <string.h>

bool message_begin(struct message *message)
{
    *message = (struct message){0};
    return sqlite3_open_v2(":memory:", &message->connection, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
}

void message_end(struct message *message)
{
    sqlite3_close(message->connection);
}

/* A query about the message, at its first row; NULL: it has none. */
static sqlite3_stmt *ask(const struct message *message, const char *sql, const char *path)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(message->connection, sql, -1, &rows, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_text(rows, 1, message->text, (int)message->size, SQLITE_STATIC);
    if (path)
        sqlite3_bind_text(rows, 2, path, -1, SQLITE_STATIC);
    if (sqlite3_step(rows) == SQLITE_ROW)
        return rows;
    sqlite3_finalize(rows);
    return NULL;
}

bool message_take(struct message *message, const char *text, size_t size)
{
    message->text = text;
    message->size = size;
    if (memchr(text, 0, size))
        return false;
    sqlite3_stmt *rows = ask(message, query_named(lsp_queries, "message_valid"), NULL);
    bool is_valid = rows && sqlite3_column_int(rows, 0);
    sqlite3_finalize(rows);
    return is_valid;
}

static char *column_text(sqlite3_stmt *rows, int column)
{
    const char *text = (const char *)sqlite3_column_text(rows, column);
    return text ? memory_copy_text(text, (size_t)sqlite3_column_bytes(rows, column)) : NULL;
}

char *message_type(const struct message *message, const char *path)
{
    sqlite3_stmt *rows = ask(message, query_named(lsp_queries, "message_value"), path);
    char *type = rows ? column_text(rows, 1) : NULL;
    sqlite3_finalize(rows);
    return type;
}

char *message_text(const struct message *message, const char *path)
{
    sqlite3_stmt *rows = ask(message, query_named(lsp_queries, "message_value"), path);
    const char *type = rows ? (const char *)sqlite3_column_text(rows, 1) : NULL;
    char *text = type && !strcmp(type, "text") ? column_text(rows, 0) : NULL;
    sqlite3_finalize(rows);
    return text;
}

bool message_number(const struct message *message, const char *path, uint32_t most, uint32_t *number)
{
    sqlite3_stmt *rows = ask(message, query_named(lsp_queries, "message_value"), path);
    const char *type = rows ? (const char *)sqlite3_column_text(rows, 1) : NULL;
    bool is_number = type && !strcmp(type, "integer");
    int64_t value = is_number ? sqlite3_column_int64(rows, 0) : -1;
    sqlite3_finalize(rows);
    *number = (uint32_t)(value < 0 ? 0 : value > most ? most : value);
    return value >= 0;
}

bool message_is_true(const struct message *message, const char *path)
{
    autofree char *type = message_type(message, path);
    return type && !strcmp(type, "true");
}

char *message_json(const struct message *message, const char *path)
{
    autofree char *type = message_type(message, path);
    sqlite3_stmt *rows = type ? ask(message, query_named(lsp_queries, "message_json"), path) : NULL;
    char *text = rows ? column_text(rows, 0) : NULL;
    sqlite3_finalize(rows);
    return text;
}
