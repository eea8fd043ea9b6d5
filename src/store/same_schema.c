/* A database is untrusted, and Assay's queries assume that a table is a table: a view of the same name could
   run for ever, a computed column could be anything. So each of Assay's tables and views must exist and have
   the statement of this version, apart from comments and blanks. SQLite builds its schema from the texts of
   these statements alone, so equal text means an equal table; the contents of rows are checked by the code
   that relies on them.

   Other tables, views and indexes are the user's own and are not checked; there may be nothing else
   (fence.c). */
#include "store/same_schema.h"

#include "store/fence.h"
#include "store/schema.h"
#include "store/tokens.h"

#include <stdlib.h>
#include <string.h>

/* The statement of one of Assay's views, without its semicolon; to be freed. NULL if there is no such view.
 */
static char *view_named(const char *name, size_t *index)
{
    size_t count = 0;
    for (const char *at = views_sql; *at;) {
        size_t length, words = 0;
        const char *start = NULL, *own = NULL;
        enum token_kind kind;
        for (; (kind = token_next(at, &length)) != TOKEN_END && kind != TOKEN_SEMICOLON; at += length) {
            if (kind == TOKEN_BLANK)
                continue;
            start = start ? start : at;
            if (++words == 3) /* create view NAME */
                own = at;
        }
        bool is_it = own && !strncmp(own, name, strlen(name)) && strchr(" \t\r\n(", own[strlen(name)]);
        if (is_it) {
            *index = count;
            return memory_copy_text(start, (size_t)(at - start));
        }
        count += own != NULL;
        at += length;
    }
    *index = count;
    return NULL;
}

bool same_schema_is_view(const char *name)
{
    size_t ignored;
    char *view = view_named(name, &ignored);
    bool is_ours = view != NULL;
    free(view);
    return is_ours;
}

/* Notes the row if it defines one of Assay's tables or views; false if the definition differs. */
static bool check_row(sqlite3_stmt *row, bool *found)
{
    const char *name = (const char *)sqlite3_column_text(row, 0),
               *sql = (const char *)sqlite3_column_text(row, 1);
    const struct table_description *table = name ? table_named(name) : NULL;
    size_t index = 0, view;
    char *expected = NULL;
    bool has_rows = true;
    if (table) {
        struct schema_text text = {0};
        schema_table(&text, table);
        expected = text.data;
        index = (size_t)(table - table_descriptions);
        has_rows = sqlite3_column_int64(row, 2) > 0;
    } else if (name && (expected = view_named(name, &view))) {
        index = table_count + view;
    }
    if (!expected)
        return true;
    bool is_same = sql && has_rows && tokens_are_equal(sql, expected);
    free(expected);
    found[index] = true;
    return is_same;
}

static bool differs(const char *path, const char *name, struct error *error)
{
    return error_set(error, path,
                     "%.60s differs from this version's schema: the database was changed or written by "
                     "another version of Assay; make it again with assay db, or assay run -o",
                     name);
}

static bool check_kinds(sqlite3 *connection, const char *path, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    bool good = true;
    sqlite3_prepare_v2(connection, "select name, sql from sqlite_schema", -1, &rows, NULL);
    while (good && sqlite3_step(rows) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        if (!fence_allows_schema((const char *)sqlite3_column_text(rows, 1)))
            good =
                error_set(error, path,
                          "has %.60s, which is neither a table nor a view nor an index: triggers and virtual "
                          "tables run code, so Assay does not open such a database; drop it with sqlite3",
                          name ? name : "something");
    }
    sqlite3_finalize(rows);
    return good;
}

bool same_schema_check(sqlite3 *connection, const char *path, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    size_t view_count;
    if (!check_kinds(connection, path, error))
        return false;
    free(view_named("", &view_count));
    bool *found = memory_get((table_count + view_count) * sizeof *found), good = true;
    int state = sqlite3_prepare_v2(connection,
                                   "select name, sql, rootpage from sqlite_schema where type in "
                                   "('table', 'view')",
                                   -1, &rows, NULL);
    while (good && (state = sqlite3_step(rows)) == SQLITE_ROW)
        good = check_row(rows, found) || differs(path, (const char *)sqlite3_column_text(rows, 0), error);
    if (good && state != SQLITE_DONE)
        good = error_set(error, path, "cannot be opened as a database: %s", sqlite3_errmsg(connection));
    sqlite3_finalize(rows);
    for (unsigned i = 0; good && i < table_count + view_count; i++)
        if (!found[i])
            good = differs(path, i < table_count ? table_descriptions[i].name : "a view", error);
    free(found);
    return good;
}
