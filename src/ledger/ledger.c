/* Opening a ledger, its transactions, and whether others changed it.

   A new ledger is an empty file that is private to its owner; its tables are made in one transaction, by
   whichever process gets there first, and before the switch to WAL mode, so that the first page says at once
   what the file is. A file that is not empty is looked at before SQLite may touch it: only
   what says in its header that it is a ledger, of this version, is opened. */
#include "ledger/parts.h"

#include "base/path.h"
#include "base/sqlite_header.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10000 /* milliseconds */, PAUSE = 20 };

bool ledger_is_ledger(const char *path)
{
    struct sqlite_header header;
    struct error ignored = {0};
    return sqlite_header_read(path, &header, &ignored) && header.is_database &&
           header.application == LEDGER_APPLICATION_ID;
}

static bool check_header(const char *path, struct error *error)
{
    struct sqlite_header header;
    if (!sqlite_header_read(path, &header, error))
        return false;
    if (!header.size)
        return true;
    if (!header.is_database)
        return error_set(error, path, "is not a ledger of Assay; name another file");
    uint32_t application = header.application, version = header.user_version;
    /* A process that makes it this moment has written the first page, but not the tables. */
    if (!application && !version && !header.schema)
        return true;
    if (application == STORE_APPLICATION_ID)
        return error_set(error, path,
                         "is a database of a program (assay db), not a ledger; name another file");
    if (application != LEDGER_APPLICATION_ID)
        return error_set(error, path, "is an SQLite database, but not a ledger of Assay; name another file");
    if (version > LEDGER_VERSION)
        return error_set(error, path,
                         "was written by a newer Assay (version %u of ledgers; this one knows %d); use that "
                         "one, or name another file",
                         version, LEDGER_VERSION);
    return true;
}

static bool make_folders(const char *path, struct error *error)
{
    char *folder = path_folder(path);
    bool is_good = true;
    for (char *at = folder + 1; is_good && folder[0]; at++) {
        if (*at != '/' && *at)
            continue;
        char kept = *at;
        *at = 0;
        if (mkdir(folder, 0700) && errno != EEXIST)
            is_good = error_set_errno(error, folder, "cannot be made for the ledger");
        *at = kept;
        if (!kept)
            break;
    }
    free(folder);
    return is_good;
}

/* To be freed; NULL: nowhere. */
static char *usual_path(struct error *error)
{
    const char *given = getenv("ASSAY_LEDGER"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (given && *given)
        return path_absolute(given);
    if (data && *data == '/')
        return memory_format("%s/assay/ledger.db", data);
    if (home && *home == '/')
        return memory_format("%s/.local/share/assay/ledger.db", home);
    error_set(error, NULL,
              "there is no place for the ledger: HOME is not set; name a file with --ledger FILE");
    return NULL;
}

static bool make_file(const char *path, bool is_usual, struct error *error)
{
    if (is_usual && !make_folders(path, error))
        return false;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    if (file < 0)
        return error_set_errno(error, path, "cannot be opened as a ledger");
    close(file);
    return true;
}

static void protect(sqlite3 *connection)
{
    sqlite3_extended_result_codes(connection, 1);
    sqlite3_busy_timeout(connection, PATIENCE);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)NULL);
    sqlite3_drop_modules(connection, NULL); /* a virtual table may stand where one of ours should */
}

static int64_t pragma_number(struct ledger *ledger, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t value = -1;
    if (!sqlite3_prepare_v2(ledger->connection, sql, -1, &statement, NULL) &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* SQLite does not wait for the switch to WAL mode, so that several processes that make a ledger do it here.
 */
static bool use_log(struct ledger *ledger, struct error *error)
{
    for (unsigned waited = 0;; waited += PAUSE) {
        int status = sqlite3_exec(
            ledger->connection, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON",
            NULL, NULL, NULL);
        if (status == SQLITE_OK)
            return true;
        if ((status & 0xff) != SQLITE_BUSY || waited >= PATIENCE)
            return ledger_explain(ledger, error);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE * 1000000}, NULL);
    }
}

/* A ledger of an earlier Assay may lack tables that came later; columns are never added to a table. */
static bool has_table(struct ledger *ledger, const struct ledger_table *table)
{
    autofree char *query = memory_format("SELECT count(*) FROM sqlite_schema WHERE name = '%s'", table->name);
    return pragma_number(ledger, query) == 1;
}

static bool has_tables(struct ledger *ledger)
{
    bool has = pragma_number(ledger, "PRAGMA application_id") == LEDGER_APPLICATION_ID;
    for (unsigned i = 0; has && i < ledger_table_count; i++)
        has = has_table(ledger, &ledger_tables[i]);
    return has;
}

/* Whoever only reads sees the tables that are missing as empty ones: they are this connection's alone. */
static bool lend_tables(struct ledger *ledger, struct error *error)
{
    bool is_good = true;
    for (unsigned i = 0; is_good && i < ledger_table_count; i++) {
        const struct ledger_table *table = &ledger_tables[i];
        char *text = NULL;
        size_t size;
        if (has_table(ledger, table))
            continue;
        FILE *out = open_memstream(&text, &size);
        fprintf(out, "CREATE TEMP TABLE \"%s\" (", table->name);
        for (unsigned c = 0; c < table->count; c++)
            fprintf(out, "%s\"%s\" %s", c ? ", " : "", table->columns[c].name, table->columns[c].type);
        fputs(")", out);
        fclose(out);
        is_good = !sqlite3_exec(ledger->connection, text, NULL, NULL, NULL) || ledger_explain(ledger, error);
        free(text);
    }
    return is_good;
}

static bool make_tables(struct ledger *ledger, struct error *error)
{
    if (has_tables(ledger))
        return true;
    if (!ledger_begin(ledger, error))
        return false;
    bool is_good = true;
    if (!has_tables(ledger)) {
        char *schema = ledger_schema();
        char *all = memory_format("%sPRAGMA application_id=%d; PRAGMA user_version=%d;", schema,
                                  LEDGER_APPLICATION_ID, LEDGER_VERSION);
        is_good = !sqlite3_exec(ledger->connection, all, NULL, NULL, NULL) || ledger_explain(ledger, error);
        free(all);
        free(schema);
    }
    if (is_good)
        return ledger_commit(ledger, error);
    ledger_undo(ledger);
    return false;
}

/* A ledger in a folder that may not be written, with no log beside it, is read as it is. */
static bool open_alone(struct ledger *ledger)
{
    struct stat facts;
    char *log = memory_format("%s-wal", ledger->path);
    bool has_log = !stat(log, &facts) && facts.st_size;
    free(log);
    if (has_log || strpbrk(ledger->path, "%?#"))
        return false;
    sqlite3_close(ledger->connection);
    char *name = memory_format("file:%s?immutable=1", ledger->path);
    int status = sqlite3_open_v2(name, &ledger->connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(name);
    protect(ledger->connection);
    return !status && pragma_number(ledger, "SELECT count(*) FROM sqlite_schema") >= 0;
}

static bool connect_to(struct ledger *ledger, bool to_write, struct error *error)
{
    int flags = (to_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(ledger->path, &ledger->connection, flags, NULL))
        return ledger_explain(ledger, error);
    protect(ledger->connection);
    if (to_write) {
        struct stat facts;
        if (!stat(ledger->path, &facts)) {
            ledger->device = facts.st_dev;
            ledger->node = facts.st_ino;
        }
        return make_tables(ledger, error) && use_log(ledger, error);
    }
    if (pragma_number(ledger, "SELECT count(*) FROM sqlite_schema") > 0)
        return lend_tables(ledger, error);
    if (!sqlite3_errcode(ledger->connection) || sqlite3_errcode(ledger->connection) == SQLITE_DONE ||
        sqlite3_errcode(ledger->connection) == SQLITE_ROW)
        return error_set(error, ledger->path,
                         "has no tables yet; assay predict and assay schedule submit fill it");
    return open_alone(ledger) ? lend_tables(ledger, error) : ledger_explain(ledger, error);
}

struct ledger *ledger_open(const char *path, bool to_write, struct error *error)
{
    struct ledger *ledger = memory_get(sizeof *ledger);
    ledger_expect_statements(ledger);
    ledger->lock = -1;
    ledger->path = path ? path_absolute(path) : usual_path(error);
    if (!ledger->path || (to_write && !make_file(ledger->path, !path, error))) {
        ledger_close(ledger);
        return NULL;
    }
    if (!to_write && access(ledger->path, F_OK) && errno == ENOENT)
        error_set(error, ledger->path,
                  "there is no such ledger; assay predict and assay schedule submit make one");
    else if (check_header(ledger->path, error) && connect_to(ledger, to_write, error))
        return ledger;
    ledger_close(ledger);
    return NULL;
}

struct ledger *ledger_copy(struct ledger *ledger, struct error *error)
{
    struct ledger *copy = memory_get(sizeof *copy);
    ledger_expect_statements(copy);
    copy->lock = -1;
    copy->path = memory_format("%s", ledger->path);
    sqlite3_backup *backup = NULL;
    if (!sqlite3_open_v2(":memory:", &copy->connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
        backup = sqlite3_backup_init(copy->connection, "main", ledger->connection, "main");
    int status = backup ? sqlite3_backup_step(backup, -1) : SQLITE_ERROR;
    if (backup)
        sqlite3_backup_finish(backup);
    if (status == SQLITE_DONE) {
        protect(copy->connection);
        return copy;
    }
    ledger_explain(copy, error);
    ledger_close(copy);
    return NULL;
}

void ledger_close(struct ledger *ledger)
{
    if (!ledger)
        return;
    ledger_forget_statements(ledger);
    sqlite3_close_v2(ledger->connection);
    ledger_release_lock(ledger);
    free(ledger->path);
    free(ledger);
}

const char *ledger_path(const struct ledger *ledger)
{
    return ledger->path;
}

sqlite3 *ledger_leave_connection(struct ledger *ledger)
{
    sqlite3 *connection = ledger->connection;
    ledger->connection = NULL;
    /* Statements have to go before their connection. */
    ledger_close(ledger);
    return connection;
}

sqlite3 *ledger_connection(struct ledger *ledger)
{
    return ledger->connection;
}

bool ledger_has_news(struct ledger *ledger)
{
    int64_t version = pragma_number(ledger, "PRAGMA data_version");
    bool has_changed = version != ledger->data_version;
    ledger->data_version = version;
    return has_changed;
}

/* SQLite would go on writing into a file that nobody can open any more. */
static bool is_still_there(const struct ledger *ledger, struct error *error)
{
    struct stat facts;
    if (!ledger->node ||
        (!stat(ledger->path, &facts) && facts.st_ino == ledger->node && facts.st_dev == ledger->device))
        return true;
    return error_set(error, ledger->path,
                     "was deleted or replaced while it was in use; nothing more is stored");
}

bool ledger_begin(struct ledger *ledger, struct error *error)
{
    if (!ledger->depth && !is_still_there(ledger, error))
        return false;
    if (!ledger_do(ledger, error, ledger->depth ? "SAVEPOINT part" : "BEGIN IMMEDIATE", ""))
        return false;
    ledger->depth++;
    return true;
}

bool ledger_commit(struct ledger *ledger, struct error *error)
{
    /* SQLite itself undoes a transaction that met a full disk. */
    bool is_good = !sqlite3_get_autocommit(ledger->connection) ||
                   error_set(error, ledger->path, "the change was undone, because a part of it failed");
    is_good = is_good && ledger_do(ledger, error, ledger->depth > 1 ? "RELEASE part" : "COMMIT", "");
    if (!is_good)
        ledger_undo(ledger);
    else
        ledger->depth--;
    return is_good;
}

void ledger_undo(struct ledger *ledger)
{
    if (!ledger->depth)
        return;
    const char *sql = --ledger->depth ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK";
    if (!sqlite3_get_autocommit(ledger->connection))
        sqlite3_exec(ledger->connection, sql, NULL, NULL, NULL);
}
