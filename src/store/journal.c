/* Reading never writes. While SQLite writes a database it keeps a rollback journal with the old contents
   beside it; a killed process leaves the journal behind, and the next process that opens the database rolls
   the write back. But a journal is only a file with a certain name: in a folder that others can write to,
   anybody can plant one with pages of their own. So Assay opens databases read-only, which makes SQLite
   refuse if there is something to roll back, and rolls back only on request (store_recover), and only if the
   same user owns both files and nobody else can have planted the journal.

   Assay's databases never use a write-ahead log (x.db-wal). A user may have switched one to WAL mode; then
   the log is part of the database and cannot be read without writing. */
#include "store/journal.h"

#include "base/memory.h"
#include "base/path.h"
#include "store/fence.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_SIZE = 8, PATIENCE = 10000 /* milliseconds */ };

/* The file beside a database, where SQLite looks for it; NULL if the database is not found. */
static char *name_beside(const char *path, const char *suffix)
{
    char *whole = realpath(path, NULL);
    char *name = whole ? memory_format("%s%s", whole, suffix) : NULL;
    free(whole);
    return name;
}

static bool exists(const char *name, struct stat *facts)
{
    return name && !lstat(name, facts);
}

static bool read_at(int file, off_t place, unsigned char *bytes)
{
    return pread(file, bytes, MAGIC_SIZE, place) == MAGIC_SIZE;
}

enum journal_kind {
    journal_NONE,    /* nothing to roll back */
    journal_PLAIN,   /* of one database */
    journal_OF_MANY, /* it names a second journal, which SQLite would delete; Assay's never do */
    journal_ODD      /* not a regular file, or it cannot be read */
};

static enum journal_kind kind_of(const char *name)
{
    static const unsigned char magic[MAGIC_SIZE] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    struct stat facts;
    unsigned char first[MAGIC_SIZE], last[MAGIC_SIZE];
    if (!exists(name, &facts))
        return journal_NONE;
    if (!S_ISREG(facts.st_mode))
        return journal_ODD;
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return journal_ODD;
    enum journal_kind kind = journal_NONE;
    if (read_at(file, 0, first) && !memcmp(first, magic, MAGIC_SIZE) &&
        read_at(file, facts.st_size - MAGIC_SIZE, last))
        kind = memcmp(last, magic, MAGIC_SIZE) ? journal_PLAIN : journal_OF_MANY;
    close(file);
    return kind;
}

/* Why the journal may be planted; NULL if the user owns it and the database. */
static const char *why_not_own(const char *path, const char *name)
{
    struct stat database, journal, folder;
    char *around = path_folder(name);
    bool is_known = !stat(path, &database) && !lstat(name, &journal) && !stat(around, &folder);
    free(around);
    if (!is_known || !S_ISREG(database.st_mode) || !S_ISREG(journal.st_mode))
        return "it is not a regular file";
    if (journal.st_uid != database.st_uid)
        return "its owner is not the owner of the database";
    if (journal.st_uid != geteuid() && geteuid())
        return "another user owns it";
    if (journal.st_nlink != 1)
        return "it has several hard links";
    if (folder.st_uid && folder.st_uid != journal.st_uid)
        return "another user owns the folder";
    if (folder.st_mode & S_IWOTH && !(folder.st_mode & S_ISVTX))
        return "everybody can write to the folder";
    return NULL;
}

/* SQLite, run by root, changes the owner of a journal to the owner of the database as soon as it looks at it.
 */
static bool is_strangers(const char *path, const char *name)
{
    struct stat database, journal;
    return exists(name, &journal) && !stat(path, &database) && journal.st_uid != database.st_uid;
}

static bool refuse_journal(const char *path, const char *name, const char *why, struct error *error)
{
    return error_set(error, path,
                     "the rollback journal beside it cannot be trusted: %s; if it is not yours, remove %s",
                     why, name);
}

bool journal_refuse(const char *path, struct error *error)
{
    char *name = name_beside(path, "-journal");
    const char *why = name ? why_not_own(path, name) : NULL;
    if (why)
        refuse_journal(path, name, why, error);
    else
        error_set(error, path, "a write to it was interrupted; assay recover %s rolls it back", path);
    free(name);
    return false;
}

bool journal_may_read(const char *path, bool has_log, bool *is_alone, struct error *error)
{
    struct stat facts;
    char *log = name_beside(path, "-wal"), *journal = name_beside(path, "-journal");
    bool good = true;
    if (exists(log, &facts) && !has_log)
        good = error_set(error, path, "%s is beside it but does not belong to it; remove that file", log);
    else if (exists(log, &facts) && facts.st_size)
        good = error_set(error, path,
                         "part of it is in the write-ahead log %s; sqlite3 %s 'pragma journal_mode=delete' "
                         "moves that into the database",
                         log, path);
    else if (kind_of(journal) != journal_NONE && (has_log || is_strangers(path, journal)))
        good = journal_refuse(path, error);
    *is_alone = has_log;
    free(journal);
    free(log);
    return good;
}

bool journal_may_write(const char *path, struct error *error)
{
    struct stat facts;
    char *name = name_beside(path, "-journal");
    const char *why = exists(name, &facts) ? why_not_own(path, name) : NULL;
    bool may = !why || refuse_journal(path, name, why, error);
    free(name);
    return may;
}

/* SQLite rolls back at the first read. */
static bool undo(const char *path, const char *name, struct error *error)
{
    sqlite3 *connection = NULL;
    char *plain = memory_format("%s%s", path[0] == '/' ? "" : "./", path);
    int status = sqlite3_open_v2(plain, &connection, SQLITE_OPEN_READWRITE, NULL);
    free(plain);
    if (!status) {
        sqlite3_busy_timeout(connection, PATIENCE);
        fence_connection(connection);
        status = sqlite3_exec(connection, "select count(*) from sqlite_schema", NULL, NULL, NULL);
    }
    bool good = !status || error_set(error, path, "cannot roll back the interrupted write: %s",
                                     sqlite3_errmsg(connection));
    sqlite3_close(connection);
    return good && (kind_of(name) == journal_NONE ||
                    error_set(error, path, "is being written by another program; nothing was rolled back"));
}

bool store_recover(const char *path, bool *was_cut_short, struct error *error)
{
    *was_cut_short = false;
    if (!store_is_own(path, error))
        return false;
    char *name = name_beside(path, "-journal");
    enum journal_kind kind = kind_of(name);
    const char *why = kind == journal_OF_MANY ? "it names a second journal, which Assay never writes"
                      : kind != journal_NONE  ? why_not_own(path, name)
                                              : NULL;
    bool good = !why || refuse_journal(path, name, why, error);
    if (good && kind == journal_ODD)
        good = error_set(error, name, "cannot be read");
    if (good && kind == journal_PLAIN)
        *was_cut_short = good = undo(path, name, error);
    free(name);
    return good;
}
