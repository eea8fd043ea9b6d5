/* The schema of a model in memory: rows of sqlite_master, written directly.

   Every command that asks a question starts with a hundred tables and views. CREATE statements parse each of
   them twice and connect every virtual table, which was half the time of a short command. Rows that are put
   into the schema are parsed once, when SQLite reads it, and a table is connected when a query first names
   it. The rows are those that the CREATE statements would leave behind. */
#include "store/virtual_schema.h"

#include "store/schema.h"
#include "store/tokens.h"

#include <stdlib.h>
#include <string.h>

static bool put(sqlite3_stmt *insert, const char *kind, const char *name, size_t length, const char *sql)
{
    sqlite3_bind_text(insert, 1, kind, -1, SQLITE_STATIC);
    sqlite3_bind_text64(insert, 2, name, length, SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_text(insert, 3, sql, -1, SQLITE_STATIC);
    sqlite3_step(insert);
    return !sqlite3_reset(insert);
}

static bool put_tables(sqlite3_stmt *insert)
{
    bool is_put = true;
    for (unsigned i = 0; i < table_count && is_put; i++) {
        const char *name = table_descriptions[i].name;
        struct schema_text text = {0};
        schema_add(&text, "CREATE VIRTUAL TABLE %s using model(%s)", name, name);
        is_put = put(insert, "table", name, strlen(name), text.data);
        free(text.data);
    }
    return is_put;
}

/* Of each statement `create view NAME …`, what begins with the name. */
static bool put_views(sqlite3_stmt *insert)
{
    bool is_put = true;
    for (const char *at = views_sql; *at && is_put;) {
        size_t length, words = 0, name_length = 0;
        const char *name = NULL;
        enum token_kind kind;
        for (; (kind = token_next(at, &length)) != TOKEN_END && kind != TOKEN_SEMICOLON; at += length) {
            if (kind != TOKEN_BLANK && ++words == 3) {
                name = at;
                name_length = length;
            }
        }
        if (name) {
            struct schema_text text = {0};
            schema_add(&text, "CREATE VIEW %.*s", (int)(at - name), name);
            is_put = put(insert, "view", name, name_length, text.data);
            free(text.data);
        }
        at += length;
    }
    return is_put;
}

bool virtual_schema_write(sqlite3 *connection)
{
    sqlite3_stmt *insert = NULL;
    bool is_written = !sqlite3_exec(connection, "pragma writable_schema=on; begin", NULL, NULL, NULL) &&
                      !sqlite3_prepare_v2(connection, "insert into sqlite_master values (?1, ?2, ?2, 0, ?3)",
                                          -1, &insert, NULL) &&
                      put_tables(insert) && put_views(insert);
    sqlite3_finalize(insert);
    /* `reset` ends the writing and has the schema read anew. */
    return is_written && !sqlite3_exec(connection, "commit; pragma writable_schema=reset", NULL, NULL, NULL);
}
