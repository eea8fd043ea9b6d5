/* Opens databases for queries.

   The database and the script may come from untrusted people. So a connection only reads: files are opened
   read-only and nothing is created beside them (journal.c); Assay's tables and views must have their exact
   definitions (same_schema.c); an authorizer allows only select, functions that compute and the pragmas that
   describe the database (no attach, which would open other files, no temporary tables); of SQLite's modules
   hardly any is left (fence.c); what is too large to be sorted in memory goes to a file without a name
   (unnamed.c); memory is limited; and damage in a file is an error of the statement that
   reads it. */
#include "store/store.h"

#include "base/sqlite_header.h"
#include "store/fence.h"
#include "store/journal.h"
#include "store/problem.h"
#include "store/same_schema.h"
#include "store/unnamed.h"
#include "store/virtual.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATIENCE = 10000, /* milliseconds to wait for a writer */
    STEPS = 1000      /* steps of SQLite between two checks for an interrupt */
};

struct store {
    sqlite3 *connection;
    store_supplier *supplier;
    void *context;
    bool is_held;            /* the supplier is not called */
    const char *wrong_place; /* in the text of the last statement; NULL: unknown */
    volatile sig_atomic_t is_stopped;
};

/* Pragmas that only report; the second list takes arguments. */
static const char *const telling_pragmas[] = {
    "application_id", "collation_list", "compile_options", "database_list", "encoding",
    "freelist_count", "function_list",  "module_list",     "page_count",    "page_size",
    "pragma_list",    "schema_version", "table_list",      "user_version",  NULL};
static const char *const describing_pragmas[] = {
    "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
    "quick_check",      "table_info", "table_list", "table_xinfo", NULL};

static int authorize(void *pointer, int action, const char *first, const char *second, const char *database,
                     const char *source)
{
    const struct store *store = pointer;
    (void)database, (void)source;
    switch (action) {
    case SQLITE_READ:
        if (store->supplier && first && !store->is_held)
            store->supplier(store->context, first);
        return SQLITE_OK;
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_UPDATE:
        /* Called when SQLite declares its own table-valued functions (json_each, pragma_table_info). A user's
           statement with it still fails: the schema is never writable. */
        return first && !strcmp(first, "sqlite_master") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
        return fence_allows_function(second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return fence_is_among(first, describing_pragmas) ||
                       (!second && fence_is_among(first, telling_pragmas))
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* An interrupt between two statements is not lost: the next statement stops. */
static int is_to_stop(void *pointer)
{
    const struct store *store = pointer;
    return store->is_stopped;
}

static void protect(struct store *store)
{
    sqlite3 *connection = store->connection;
    sqlite3_extended_result_codes(connection, 1);
    sqlite3_busy_timeout(connection, PATIENCE);
    sqlite3_exec(connection, "pragma query_only=on; pragma cell_size_check=on; pragma cache_size=-65536",
                 NULL, NULL, NULL);
    fence_connection(connection);
    unnamed_files();
    sqlite3_set_authorizer(connection, authorize, store);
    sqlite3_progress_handler(connection, STEPS, is_to_stop, store);
}

struct store *store_open_model(const struct model *model, struct error *error)
{
    struct store *store = memory_get(sizeof *store);
    if (sqlite3_open_v2(":memory:", &store->connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
        error_set(error, NULL, "cannot start SQLite: %s", sqlite3_errmsg(store->connection));
    else if (virtual_create(store->connection, model, error)) {
        protect(store);
        return store;
    }
    store_close(store);
    return NULL;
}

bool store_is_database(const char *path)
{
    struct sqlite_header header;
    struct error ignored = {0};
    return sqlite_header_read(path, &header, &ignored) && header.is_database;
}

bool store_is_own(const char *path, struct error *error)
{
    struct sqlite_header header;
    if (!sqlite_header_read(path, &header, error))
        return false;
    if (!header.is_database)
        return error_set(error, path, "is not a database; `assay db FILE -o FILE.db` makes one");
    if (header.application == LEDGER_APPLICATION_ID)
        return error_set(
            error, path,
            "is a ledger of Assay (what was predicted, submitted and run), not a database of a "
            "program; assay sql asks it, and --ledger of predict, schedule and forecast names it");
    if (header.application != STORE_APPLICATION_ID)
        return error_set(error, path, "is an SQLite database, but was not written by Assay");
    uint32_t version = header.user_version;
    if (version != STORE_SCHEMA_VERSION)
        return error_set(error, path,
                         "was written by %s version of Assay (schema %u, this version uses %d); make it "
                         "again with assay db",
                         version > STORE_SCHEMA_VERSION ? "a newer" : "an older", version,
                         STORE_SCHEMA_VERSION);
    return true;
}

static bool check_size(const char *path, struct error *error)
{
    struct sqlite_header header;
    if (!sqlite_header_read(path, &header, error))
        return false;
    return header.size >= header.whole ||
           error_set(error, path,
                     "is truncated: %llu of %llu bytes; make it again with assay db, or assay run -o",
                     (unsigned long long)header.size, (unsigned long long)header.whole);
}

/* A name that SQLite takes for the file and nothing special (":memory:", "file:…"): with a directory in
   front, and as a URI if the file is to be opened as immutable. To be freed. */
static char *plain_name(const char *path, bool is_alone)
{
    const char *before = path[0] == '/' ? "" : "./";
    if (!is_alone)
        return memory_format("%s%s", before, path);
    char *escaped = memory_get(3 * strlen(path) + 1), *out = escaped;
    for (; *path; path++)
        if (strchr("%?#", *path))
            out += sprintf(out, "%%%02x", (unsigned char)*path);
        else
            *out++ = *path;
    *out = 0;
    char *name = memory_format("file:%s%s?immutable=1", before, escaped);
    free(escaped);
    return name;
}

/* Whether the header says WAL mode. */
static bool has_log(const char *path)
{
    struct sqlite_header header;
    struct error ignored = {0};
    return sqlite_header_read(path, &header, &ignored) && header.is_wal;
}

static bool open_connection(struct store *store, const char *path, struct error *error)
{
    bool is_alone;
    if (!journal_may_read(path, has_log(path), &is_alone, error))
        return false;
    char *name = plain_name(path, is_alone);
    /* One thread at a time uses a connection; locks would take a fifth of the time of a load. */
    int status = sqlite3_open_v2(name, &store->connection,
                                 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(name);
    if (!status) {
        protect(store);
        status = sqlite3_exec(store->connection, "select count(*) from sqlite_schema", NULL, NULL, NULL);
    }
    if (sqlite3_extended_errcode(store->connection) == SQLITE_READONLY_ROLLBACK)
        return journal_refuse(path, error);
    if (!check_size(path, error))
        return false;
    return !status ||
           error_set(error, path, "cannot be opened as a database: %s", sqlite3_errmsg(store->connection));
}

struct store *store_open_file(const char *path, struct error *error)
{
    if (!store_is_own(path, error))
        return NULL;
    struct store *store = memory_get(sizeof *store);
    if (open_connection(store, path, error) && same_schema_check(store->connection, path, error))
        return store;
    store_close(store);
    return NULL;
}

struct store *store_open_connection(sqlite3 *connection)
{
    struct store *store = memory_get(sizeof *store);
    store->connection = connection;
    protect(store);
    return store;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_close_v2(store->connection);
    free(store);
}

void store_supply(struct store *store, store_supplier *supplier, void *context)
{
    store->supplier = supplier;
    store->context = context;
}

void store_hold_supply(struct store *store, bool is_held)
{
    store->is_held = is_held;
}

sqlite3 *store_connection(struct store *store)
{
    return store->connection;
}

void store_note_place(struct store *store, const char *place)
{
    store->wrong_place = place;
}

const char *store_wrong_place(const struct store *store)
{
    return store->wrong_place;
}

void store_interrupt(struct store *store)
{
    store->is_stopped = 1;
    sqlite3_interrupt(store->connection);
}

void store_limit_memory(int64_t bytes)
{
    sqlite3_hard_heap_limit64(bytes);
}
