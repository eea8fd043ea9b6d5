/* A copy of a database in which some tables are other ones.

   A model that was loaded from a database lacks what no analysis needs (blobs, tables of the user's own), so
   that writing it would lose them.  A copy by SQLite loses nothing, whatever state the first is in.  It is
   private until it is complete, so that it needs no journal: a copy that fails is removed. */
#include "store/store.h"

#include "store/problem.h"
#include "store/rows.h"
#include "store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sqlite3 *create(const char *path, struct error *error)
{
    sqlite3 *copy = NULL;
    unlink(path);
    char *plain = memory_format("%s%s", path[0] == '/' ? "" : "./", path);
    bool is_open = !sqlite3_open_v2(plain, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    free(plain);
    if (is_open)
        return copy;
    error_set(error, path, "cannot be written: %s", copy ? sqlite3_errmsg(copy) : "no memory");
    sqlite3_close(copy);
    return NULL;
}

static bool copy_pages(sqlite3 *from, sqlite3 *copy)
{
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", from, "main");
    if (!backup)
        return false;
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup) == SQLITE_OK;
}

/* The first may come from untrusted people. */
static bool prepare(sqlite3 *copy)
{
    sqlite3_db_config(copy, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(copy, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(copy, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    return !sqlite3_exec(
        copy, "pragma journal_mode = delete; pragma journal_mode = off; pragma synchronous = off; begin",
        NULL, NULL, NULL);
}

static sqlite3_stmt *prepare_insertion(sqlite3 *copy, const struct table_description *table)
{
    struct schema_text text = {0}, places = {0};
    unsigned count = 0;
    schema_add(&text, "insert into ");
    schema_add_name(&text, table->name);
    schema_add(&text, " (");
    if (!table->key) {
        schema_add(&text, "id");
        schema_add(&places, "?");
        count++;
    }
    for (unsigned i = 0; i < table->column_count; i++) {
        if (table->columns[i].type == COLUMN_VIRTUAL)
            continue;
        schema_add(&text, "%s", count ? ", " : "");
        schema_add_name(&text, table->columns[i].name);
        schema_add(&places, "%s", count++ ? ", ?" : "?");
    }
    schema_add(&text, ") values (%s)", places.data);
    sqlite3_stmt *insertion = NULL;
    sqlite3_prepare_v2(copy, text.data, -1, &insertion, NULL);
    free(text.data);
    free(places.data);
    return insertion;
}

static void bind(sqlite3_stmt *statement, int place, const struct value *value)
{
    switch (value->kind) {
    case VALUE_NULL:
        sqlite3_bind_null(statement, place);
        break;
    case VALUE_INTEGER:
        sqlite3_bind_int64(statement, place, value->integer);
        break;
    case VALUE_REAL:
        sqlite3_bind_double(statement, place, value->real);
        break;
    case VALUE_TEXT:
        sqlite3_bind_text64(statement, place, value->bytes, value->size, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case VALUE_BLOB:
        sqlite3_bind_blob64(statement, place, value->bytes, value->size, SQLITE_STATIC);
        break;
    }
}

static bool insert_row(sqlite3_stmt *insertion, const struct model *model,
                       const struct table_description *table, size_t row)
{
    const void *record = array_at(table_rows(table, model), row);
    int place = 0;
    if (!table->key)
        sqlite3_bind_int64(insertion, ++place, (int64_t)row);
    for (unsigned i = 0; i < table->column_count; i++) {
        if (table->columns[i].type == COLUMN_VIRTUAL)
            continue;
        struct value value = rows_value(model, &table->columns[i], record);
        bind(insertion, ++place, &value);
    }
    sqlite3_step(insertion);
    return sqlite3_reset(insertion) == SQLITE_OK;
}

static bool replace_rows(sqlite3 *copy, const struct model *model, const struct table_description *table)
{
    char *deletion = memory_format("delete from %s", table->name);
    bool done = !sqlite3_exec(copy, deletion, NULL, NULL, NULL);
    free(deletion);
    sqlite3_stmt *insertion = done ? prepare_insertion(copy, table) : NULL;
    size_t first = table_first_row(table), end = first + rows_count(table, model);
    done = insertion;
    for (size_t row = first; done && row < end; row++)
        done = insert_row(insertion, model, table, row);
    sqlite3_finalize(insertion);
    char *analysis = memory_format("analyze %s", table->name); /* plans of queries depend on it */
    done = done && !sqlite3_exec(copy, analysis, NULL, NULL, NULL);
    free(analysis);
    return done;
}

bool store_copy(struct store *from, const char *path, const struct model *model, const char *const *tables,
                struct error *error)
{
    char *part = memory_format("%s.part", path);
    sqlite3 *copy = create(part, error);
    bool done = copy && copy_pages(store_connection(from), copy) && prepare(copy);
    for (; done && *tables; tables++)
        done = replace_rows(copy, model, table_named(*tables));
    done = done && !sqlite3_exec(copy, "commit", NULL, NULL, NULL);
    if (copy && !done)
        error_set(error, path, "cannot be written: %s", store_problem(copy));
    sqlite3_close(copy);
    if (done && rename(part, path))
        done = error_set_errno(error, path, "cannot be written");
    if (!done)
        unlink(part);
    free(part);
    return done;
}
