/* A file becomes a database: whatever the file contains, SQLite must find the database sound, with as many
 * rows as the model. */
#include "fuzz/harness.h"

#include "model/tables.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t first_number(sqlite3 *connection, const char *sql, const char **text)
{
    static char kept[1000];
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) || sqlite3_step(statement) != SQLITE_ROW)
        harness_wrong(sql, sqlite3_errmsg(connection));
    int64_t number = sqlite3_column_int64(statement, 0);
    snprintf(kept, sizeof kept, "%s", (const char *)sqlite3_column_text(statement, 0));
    *text = kept;
    sqlite3_finalize(statement);
    return number;
}

static void compare(const struct model *model, const char *path)
{
    struct error error = {0};
    struct store *store = store_open_file(path, &error);
    if (!store)
        harness_wrong("store_open_file", error.text);
    sqlite3 *connection = store_connection(store);
    const char *text;
    first_number(connection, "pragma integrity_check", &text);
    if (strcmp(text, "ok"))
        harness_wrong("integrity_check", text);
    for (unsigned t = 0; t < table_count; t++) {
        const struct table_description *table = &table_descriptions[t];
        size_t count = table_rows(table, model)->count;
        char sql[200];
        snprintf(sql, sizeof sql, "select count(*) from \"%s\"", table->name);
        if (first_number(connection, sql, &text) != (int64_t)(count - (count && !table->key)))
            harness_wrong("another number of rows", sql);
    }
    store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model;
    struct error error = {0};
    if (harness_build(&model, data, size)) {
        char *path = memory_format("%s.db", harness_file(data, size));
        if (!store_write(&model, path, 0, &error))
            harness_wrong("store_write", error.text);
        compare(&model, path);
        unlink(path);
        free(path);
    }
    model_free(&model);
    return 0;
}
