/* See findings.h for how a row is stored.

   The connection for queries is read-only and stays so. This file opens a second one, for the database that
   the user named, and runs only its own statements on it. It takes the write lock before the analysis starts,
   so that a database that cannot be written is reported before anything is printed; it needs exclusive access
   only at the end, when the analysis has finished reading. Any failure before the commit, including Ctrl-C,
   leaves the database unchanged. */
#include "store/findings.h"

#include "store/fence.h"
#include "store/finding_rows.h"
#include "store/journal.h"
#include "store/queries.h"

#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 10000 /* milliseconds */ };

/* Positions of the parameters of the insertion. */
enum {
    PLACE_ANALYSIS = 1,
    PLACE_FUNCTION,
    PLACE_LOOP,
    PLACE_BLOCK,
    PLACE_INSTRUCTION,
    PLACE_FILE,
    PLACE_LINE,
    PLACE_TEXT
};

struct findings {
    char *path, *analysis;
    sqlite3 *connection;
    sqlite3_stmt *insert, *name; /* name: the functions with a name */
    uint64_t count;
};

static bool failed(const struct findings *findings, struct error *error)
{
    int code = sqlite3_errcode(findings->connection) & 0xff;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return error_set(error, findings->path, "is in use by another program; try again when it is done");
    if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM)
        return error_set(
            error, findings->path,
            "cannot be written, so no findings were stored (the file and its directory must be writable)");
    return error_set(error, findings->path, "cannot store the findings: %s",
                     sqlite3_errmsg(findings->connection));
}

static sqlite3 *open_for_writing(const char *path)
{
    sqlite3 *connection = NULL;
    /* With a directory in front, no name is special to SQLite. */
    char *plain = memory_format("%s%s", path[0] == '/' ? "" : "./", path);
    int status = sqlite3_open_v2(plain, &connection, SQLITE_OPEN_READWRITE, NULL);
    free(plain);
    if (status) {
        sqlite3_close(connection);
        return NULL;
    }
    sqlite3_busy_timeout(connection, PATIENCE);
    fence_connection(connection);
    return connection;
}

static void bind_id(sqlite3_stmt *statement, int place, int64_t id)
{
    if (id > 0)
        sqlite3_bind_int64(statement, place, id);
    else
        sqlite3_bind_null(statement, place);
}

/* A selection that the analysis does not use has not narrowed its results. */
static bool delete_earlier(struct findings *findings, const struct analysis *analysis,
                           const struct store_choice *choice)
{
    static const int places[STORE_MACRO_COUNT] = {
        [STORE_FUNCTION] = 2, [STORE_LOOP] = 3, [STORE_BLOCK] = 4, [STORE_PROGRAM] = 5};
    const int64_t ids[STORE_MACRO_COUNT] = {[STORE_FUNCTION] = choice->function,
                                            [STORE_LOOP] = choice->loop,
                                            [STORE_BLOCK] = choice->block,
                                            [STORE_PROGRAM] = choice->program};
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(findings->connection, query_named(store_queries, "delete_findings"), -1,
                           &statement, NULL))
        return false;
    sqlite3_bind_text(statement, PLACE_ANALYSIS, analysis->name, -1, SQLITE_STATIC);
    for (unsigned i = 0; i < STORE_MACRO_COUNT; i++)
        if (analysis->needs[i] != NEED_NONE)
            bind_id(statement, places[i], ids[i]);
    sqlite3_step(statement);
    return sqlite3_finalize(statement) == SQLITE_OK;
}

struct findings *findings_begin(const char *path, const struct analysis *analysis,
                                const struct store_choice *choice, struct error *error)
{
    struct findings *findings = memory_get(sizeof *findings);
    findings->path = memory_copy_text(path, strlen(path));
    findings->analysis = memory_copy_text(analysis->name, strlen(analysis->name));
    findings->connection = journal_may_write(path, error) ? open_for_writing(path) : NULL;
    if (!findings->connection)
        error_set(error, path, "cannot be opened for writing");
    else if (sqlite3_db_readonly(findings->connection, "main") == 1)
        error_set(error, path, "cannot be written, so no findings were stored (the file is read-only)");
    else if (sqlite3_exec(findings->connection, "begin immediate", NULL, NULL, NULL) ||
             !delete_earlier(findings, analysis, choice) ||
             sqlite3_prepare_v2(findings->connection, query_named(store_queries, "add_finding"), -1,
                                &findings->insert, NULL) ||
             sqlite3_prepare_v2(findings->connection, query_named(store_queries, "functions_named"), -1,
                                &findings->name, NULL))
        failed(findings, error);
    if (!error->set)
        return findings;
    findings_abandon(findings);
    return NULL;
}

static int64_t function_named(struct findings *findings, const char *name)
{
    sqlite3_reset(findings->name);
    sqlite3_bind_text(findings->name, 1, name, -1, SQLITE_TRANSIENT);
    bool is_one = sqlite3_step(findings->name) == SQLITE_ROW && sqlite3_column_int64(findings->name, 1) == 1;
    int64_t id = is_one ? sqlite3_column_int64(findings->name, 0) : 0;
    sqlite3_reset(findings->name);
    return id;
}

static void bind_text(struct findings *findings, int place, const char *text)
{
    sqlite3_bind_text(findings->insert, place, text, -1, SQLITE_TRANSIENT);
}

static bool add_row(struct findings *findings, const struct finding_row *row)
{
    sqlite3_reset(findings->insert);
    sqlite3_clear_bindings(findings->insert);
    bind_text(findings, PLACE_ANALYSIS, findings->analysis);
    for (unsigned i = 0; i < FINDING_IDS; i++)
        bind_id(findings->insert, PLACE_FUNCTION + (int)i, row->ids[i]);
    const char *name = row->ids[FINDING_FUNCTION] ? NULL : row->texts[FINDING_NAME];
    int64_t named = name ? function_named(findings, name) : 0;
    if (named)
        bind_id(findings->insert, PLACE_FUNCTION, named);
    bind_id(findings->insert, PLACE_LINE, row->line);
    bind_text(findings, PLACE_FILE, row->texts[FINDING_FILE]);
    const char *text = row->texts[FINDING_TEXT];
    if (name && !named) {
        char *whole = memory_format("function=%s%s%s", name, text ? "; " : "", text ? text : "");
        bind_text(findings, PLACE_TEXT, whole);
        free(whole);
    } else {
        bind_text(findings, PLACE_TEXT, text);
    }
    bool good = sqlite3_step(findings->insert) == SQLITE_DONE;
    findings->count += good;
    return good;
}

bool findings_add(struct findings *findings, FILE *rows, struct error *error)
{
    struct finding_row row;
    bool good = true;
    while (good && finding_row_read(rows, &row, error)) {
        good = add_row(findings, &row) || failed(findings, error);
        finding_row_free(&row);
    }
    return good && !error->set;
}

bool findings_commit(struct findings *findings, uint64_t *count, struct error *error)
{
    sqlite3_reset(findings->insert);
    bool done = !sqlite3_exec(findings->connection, "commit", NULL, NULL, NULL) || failed(findings, error);
    if (count)
        *count = findings->count;
    findings_abandon(findings);
    return done;
}

void findings_abandon(struct findings *findings)
{
    if (!findings)
        return;
    sqlite3_finalize(findings->insert);
    sqlite3_finalize(findings->name);
    sqlite3_close(findings->connection); /* rolls back an open transaction */
    free(findings->path);
    free(findings->analysis);
    free(findings);
}
