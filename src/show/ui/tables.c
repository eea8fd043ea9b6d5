#include "show/ui/tables.h"

#include "show/report/common/demangle.h"
#include "show/report/common/places.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_KEPT = 6 };
enum { LONGEST_VALUE = 32 << 20, LONGEST_STATEMENT = 1 << 20, LONGEST_PATTERN = 1000, MOST_STEPS = 1 << 20 };

enum { MOST_NOTES = 200, LONGEST_NOTE = 2000, LONGEST_TEXT = 1 << 20 };
struct note {
    char *query;
    int64_t number;
    char *text; /* NULL: the number is meant */
};

struct ui_tables {
    char *path;
    struct stat facts; /* of the file, when it was opened first */
    pthread_mutex_t lock;
    struct store *kept[MOST_KEPT];
    unsigned count;
    struct array notes; /* of struct note */
};

struct ui_tables *ui_tables_begin(const char *path, struct error *error)
{
    struct ui_tables *tables = memory_get(sizeof *tables);
    tables->path = memory_copy_text(path, strlen(path));
    tables->notes = ARRAY_OF(struct note);
    pthread_mutex_init(&tables->lock, NULL);
    if (!stat(path, &tables->facts))
        return tables;
    error_set_errno(error, path, "cannot be opened");
    ui_tables_end(tables);
    return NULL;
}

static bool is_as_it_was(const struct ui_tables *tables, struct error *error)
{
    const struct stat *then = &tables->facts;
    struct stat now;
    if (stat(tables->path, &now))
        return error_set(error, tables->path, "is gone; start assay ui again");
    bool is_same = now.st_dev == then->st_dev && now.st_ino == then->st_ino && now.st_size == then->st_size &&
                   now.st_mtim.tv_sec == then->st_mtim.tv_sec && now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
    return is_same || error_set(error, tables->path, "has changed since it was opened; start assay ui again");
}

/* A statement must not be able to take all memory or to run for long between two looks at the clock. */
static void limit(sqlite3 *connection)
{
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT);
    sqlite3_limit(connection, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_PATTERN);
    sqlite3_limit(connection, SQLITE_LIMIT_VDBE_OP, MOST_STEPS);
    sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 0);
}

struct store *ui_tables_open(const char *path, struct error *error)
{
    struct store *store = store_open_file(path, error);
    sqlite3 *connection = store ? store_connection(store) : NULL;
    if (!store)
        return NULL;
    limit(connection);
    if (demangle_register(connection, error) && places_register(connection, error))
        return store;
    store_close(store);
    return NULL;
}

struct store *ui_tables_take(struct ui_tables *tables, struct error *error)
{
    struct store *store = NULL;
    if (!is_as_it_was(tables, error))
        return NULL;
    pthread_mutex_lock(&tables->lock);
    if (tables->count)
        store = tables->kept[--tables->count];
    pthread_mutex_unlock(&tables->lock);
    return store ? store : ui_tables_open(tables->path, error);
}

void ui_tables_give(struct ui_tables *tables, struct store *store)
{
    if (!store)
        return;
    sqlite3 *connection = store_connection(store);
    sqlite3_progress_handler(connection, 0, NULL, NULL);
    pthread_mutex_lock(&tables->lock);
    /* Statements are their owners' to finalize: some belong to SQLite's own tables. */
    if (tables->count < MOST_KEPT && !sqlite3_next_stmt(connection, NULL)) {
        tables->kept[tables->count++] = store;
        store = NULL;
    }
    pthread_mutex_unlock(&tables->lock);
    store_close(store);
}

static struct note *find_note(struct ui_tables *tables, const char *query)
{
    for (size_t i = 0; i < tables->notes.count; i++) {
        struct note *note = ARRAY_AT(struct note, &tables->notes, i);
        if (!strcmp(note->query, query))
            return note;
    }
    return NULL;
}

bool ui_tables_recall(struct ui_tables *tables, const char *query, int64_t *number)
{
    pthread_mutex_lock(&tables->lock);
    const struct note *note = find_note(tables, query);
    if (note)
        *number = note->number;
    pthread_mutex_unlock(&tables->lock);
    return note;
}

void ui_tables_note(struct ui_tables *tables, const char *query, int64_t number)
{
    size_t length = strlen(query);
    pthread_mutex_lock(&tables->lock);
    if (length < LONGEST_NOTE && tables->notes.count < MOST_NOTES && !find_note(tables, query))
        *(struct note *)array_push(&tables->notes) =
            (struct note){memory_copy_text(query, length), number, NULL};
    pthread_mutex_unlock(&tables->lock);
}

char *ui_tables_recall_text(struct ui_tables *tables, const char *name)
{
    pthread_mutex_lock(&tables->lock);
    const struct note *note = find_note(tables, name);
    char *text = note && note->text ? memory_copy_text(note->text, strlen(note->text)) : NULL;
    pthread_mutex_unlock(&tables->lock);
    return text;
}

void ui_tables_note_text(struct ui_tables *tables, const char *name, const char *text)
{
    size_t length = strlen(name), size = strlen(text);
    pthread_mutex_lock(&tables->lock);
    if (length < LONGEST_NOTE && size < LONGEST_TEXT && tables->notes.count < MOST_NOTES &&
        !find_note(tables, name))
        *(struct note *)array_push(&tables->notes) =
            (struct note){memory_copy_text(name, length), 0, memory_copy_text(text, size)};
    pthread_mutex_unlock(&tables->lock);
}

void ui_tables_end(struct ui_tables *tables)
{
    if (!tables)
        return;
    for (size_t i = 0; i < tables->notes.count; i++) {
        free(ARRAY_AT(struct note, &tables->notes, i)->query);
        free(ARRAY_AT(struct note, &tables->notes, i)->text);
    }
    array_free(&tables->notes);
    while (tables->count)
        store_close(tables->kept[--tables->count]);
    pthread_mutex_destroy(&tables->lock);
    free(tables->path);
    free(tables);
}
