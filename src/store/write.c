/* The model as a database file.

   SQLite makes the schema in memory: all tables and indexes, empty, each with its root page.  Then every tree
   is laid down by tree.c in one pass over the rows: tables in row order, tables without rowid in key order,
   indexes in the order of their column.  Statistics for SQLite's planner fall out of the same passes. Nothing
   depends on time, threads or memory addresses, so the same model gives the same bytes.

   The file has no name while it is written (O_TMPFILE, where the file system knows that), so whatever
   ends the process leaves nothing behind.  When its bytes are on disk it is linked beside path and renamed.
 */
#include "store/store.h"

#include "base/leftovers.h"
#include "base/progress.h"
#include "store/schema.h"
#include "store/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A tree takes a page at least: small databases have small pages. */
enum { PAGE_SIZE = 16384, SMALL_PAGE_SIZE = 4096, FEW_ROWS = 50000, COLUMNS_MAX = 64, TELL_EVERY = 1 << 16 };

struct writer {
    const struct model *model;
    sqlite3 *schema;
    struct pages pages;
    struct record record;
    struct array statistics; /* of struct statistic */
    size_t done, total;      /* rows and index entries */
    int page_size;
    struct error *error;
};

/* What a row of sqlite_stat1 says: rows, and rows that share the first column of the index. */
struct statistic {
    const char *table;
    char index[128]; /* empty for the table itself */
    size_t rows, distinct;
};

static bool schema_failed(struct writer *writer)
{
    return error_set(writer->error, writer->pages.path, "cannot make the schema: %s",
                     sqlite3_errmsg(writer->schema));
}

static bool make_schema(struct writer *writer)
{
    if (sqlite3_open_v2(":memory:", &writer->schema, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
        return schema_failed(writer);
    char *settings = memory_format(
        "pragma page_size=%d; pragma auto_vacuum=0; pragma default_cache_size=4096; pragma encoding='UTF-8';"
        "pragma application_id=%d; pragma user_version=%d;",
        writer->page_size, STORE_APPLICATION_ID, STORE_SCHEMA_VERSION);
    char *schema = store_schema();
    bool made = !sqlite3_exec(writer->schema, settings, NULL, NULL, NULL) &&
                !sqlite3_exec(writer->schema, schema, NULL, NULL, NULL) &&
                !sqlite3_exec(writer->schema, "analyze", NULL, NULL, NULL);
    free(settings);
    free(schema);
    return made || schema_failed(writer);
}

/* The root page of a table or index, 0 where there is none. */
static uint32_t root_of(struct writer *writer, const char *name)
{
    sqlite3_stmt *statement = NULL;
    uint32_t root = 0;
    if (!sqlite3_prepare_v2(writer->schema, "select rootpage from sqlite_schema where name = ?", -1,
                            &statement, NULL) &&
        !sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) && sqlite3_step(statement) == SQLITE_ROW)
        root = (uint32_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    if (!root)
        schema_failed(writer);
    return root;
}

static struct statistic *add_statistic(struct writer *writer, const struct table_description *table)
{
    struct statistic *statistic = array_add(&writer->statistics);
    statistic->table = table->name;
    statistic->rows = rows_count(table, writer->model);
    return statistic;
}

static void tell(struct writer *writer)
{
    if (writer->done++ % TELL_EVERY == 0)
        progress_tell("writing rows", writer->done, writer->total);
}

/* Columns that a record is too short for read as their default: at the end of a record defaults need not be
 * stored. */
static unsigned without_last_defaults(const struct table_column *const *columns, const struct value *values,
                                      unsigned count, unsigned least)
{
    while (count > least) {
        const struct value *last = &values[count - 1];
        bool is_zero = last->kind == VALUE_INTEGER && !last->integer;
        if (schema_is_zero_by_default(columns[count - 1]) ? !is_zero : last->kind != VALUE_NULL)
            break;
        count--;
    }
    return count;
}

static bool fill_rowid_table(struct writer *writer, struct tree *tree, const struct table_description *table)
{
    const struct table_column *stored[COLUMNS_MAX];
    unsigned count = 1; /* the id: NULL in the record, because it is the rowid */
    for (unsigned i = 0; i < table->column_count && count < COLUMNS_MAX; i++)
        if (table->columns[i].type != COLUMN_VIRTUAL)
            stored[count++] = &table->columns[i];
    const struct array *rows = table_rows(table, writer->model);
    struct value values[COLUMNS_MAX] = {{.kind = VALUE_NULL}};
    for (size_t row = 1; row < rows->count; row++) {
        const void *record = (const char *)rows->data + row * rows->width;
        for (unsigned i = 1; i < count; i++)
            values[i] = rows_value(writer->model, stored[i], record);
        record_encode(&writer->record, values, without_last_defaults(stored, values, count, 1));
        if (!tree_add(tree, (int64_t)row, &writer->record))
            return false;
        tell(writer);
    }
    add_statistic(writer, table);
    return true;
}

/* Columns in the order in which an entry of a tree without rowids has them: first, then key, then the others
   if they are wanted; each once. */
static unsigned entry_columns(const struct table_description *table, const struct table_column *first,
                              bool all, const struct table_column *columns[COLUMNS_MAX], unsigned *key_count)
{
    const struct table_column *key[ROWS_KEY_MAX];
    unsigned count = 0, keys = rows_columns_of_list(table, table->key, key);
    if (first)
        columns[count++] = first;
    for (unsigned i = 0; i < keys; i++)
        if (key[i] != first)
            columns[count++] = key[i];
    *key_count = count;
    for (unsigned i = 0; all && i < table->column_count && count < COLUMNS_MAX; i++) {
        bool known = table->columns[i].type == COLUMN_VIRTUAL;
        for (unsigned k = 0; k < *key_count; k++)
            known = known || columns[k] == &table->columns[i];
        if (!known)
            columns[count++] = &table->columns[i];
    }
    return count;
}

static bool check_key(struct writer *writer, const struct table_description *table,
                      const struct value *before, const struct value *values, unsigned key_count,
                      bool has_before)
{
    bool equal = has_before;
    for (unsigned i = 0; i < key_count; i++) {
        if (values[i].kind == VALUE_NULL)
            return error_set(writer->error, writer->pages.path,
                             "the model is damaged: a row of %s has an empty key (please report this)",
                             table->name);
        equal = equal && !rows_compare(&before[i], &values[i]);
    }
    if (equal)
        return error_set(writer->error, writer->pages.path,
                         "the model is damaged: two rows of %s have the same key (please report this)",
                         table->name);
    return true;
}

/* A table without rowids (first NULL), or an index on a column. */
static bool fill_entries(struct writer *writer, struct tree *tree, const struct table_description *table,
                         const struct table_column *first)
{
    const struct table_column *columns[COLUMNS_MAX];
    unsigned key_count, count = entry_columns(table, first, !first, columns, &key_count);
    uint32_t *order = rows_order(writer->model, table, columns, key_count);
    const struct array *rows = table_rows(table, writer->model);
    struct value values[COLUMNS_MAX + 1], before[COLUMNS_MAX + 1];
    size_t row_count = rows_count(table, writer->model), distinct = 0;
    bool good = true, has_before = false;
    for (size_t i = 0; i < row_count && good; i++) {
        size_t row = order ? order[i] : i + rows_first(table);
        const void *record = (const char *)rows->data + row * rows->width;
        for (unsigned c = 0; c < count; c++)
            values[c] = rows_value(writer->model, columns[c], record);
        tell(writer);
        if (first && values[0].kind == VALUE_NULL)
            continue; /* indexes are partial: see schema.c */
        if (!table->key)
            values[count] = (struct value){.kind = VALUE_INTEGER, .integer = (int64_t)row};
        if (!has_before || rows_compare(&before[0], &values[0]))
            distinct++;
        good = first || check_key(writer, table, before, values, key_count, has_before);
        memcpy(before, values, key_count * sizeof *values);
        if (good) {
            unsigned stored = count + 1;
            if (table->key)
                stored = first ? count : without_last_defaults(columns, values, count, key_count);
            record_encode(&writer->record, values, stored);
            good = tree_add(tree, 0, &writer->record);
        }
        has_before = true;
    }
    free(order);
    struct statistic *statistic = add_statistic(writer, table);
    if (first)
        schema_index_name(statistic->index, table, first);
    else
        snprintf(statistic->index, sizeof statistic->index, "%s", table->name);
    statistic->distinct = distinct;
    return good;
}

static bool write_tree(struct writer *writer, const struct table_description *table,
                       const struct table_column *indexed)
{
    char index[128];
    if (indexed)
        schema_index_name(index, table, indexed);
    uint32_t root = root_of(writer, indexed ? index : table->name);
    if (!root)
        return false;
    struct tree tree;
    bool has_rowids = !table->key && !indexed;
    tree_begin(&tree, &writer->pages, root, !has_rowids);
    bool filled =
        has_rowids ? fill_rowid_table(writer, &tree, table) : fill_entries(writer, &tree, table, indexed);
    return tree_end(&tree) && filled;
}

static bool write_statistics(struct writer *writer)
{
    struct tree tree;
    uint32_t root = root_of(writer, "sqlite_stat1");
    if (!root)
        return false;
    tree_begin(&tree, &writer->pages, root, false);
    bool good = true;
    int64_t rowid = 0;
    for (size_t i = 0; i < writer->statistics.count && good; i++) {
        const struct statistic *statistic = array_at(&writer->statistics, i);
        if (!statistic->rows)
            continue;
        char numbers[64];
        int length = snprintf(numbers, sizeof numbers, "%zu", statistic->rows);
        if (statistic->distinct)
            length = snprintf(numbers, sizeof numbers, "%zu %zu", statistic->rows,
                              (statistic->rows + statistic->distinct - 1) / statistic->distinct);
        struct value values[3] = {
            {.kind = VALUE_TEXT, .bytes = statistic->table, .size = strlen(statistic->table)},
            {.kind = statistic->index[0] ? VALUE_TEXT : VALUE_NULL,
             .bytes = statistic->index,
             .size = strlen(statistic->index)},
            {.kind = VALUE_TEXT, .bytes = numbers, .size = (size_t)length},
        };
        record_encode(&writer->record, values, 3);
        good = tree_add(&tree, ++rowid, &writer->record);
    }
    return tree_end(&tree) && good;
}

static void count_entries(struct writer *writer)
{
    for (unsigned i = 0; i < table_count; i++) {
        const struct table_description *table = table_described(i);
        writer->total += rows_count(table, writer->model);
        for (unsigned c = 0; c < table->column_count; c++)
            writer->total += table->columns[c].is_indexed ? rows_count(table, writer->model) : 0;
    }
    writer->page_size = writer->total < FEW_ROWS ? SMALL_PAGE_SIZE : PAGE_SIZE;
}

static bool write_trees(struct writer *writer)
{
    for (unsigned i = 0; i < table_count; i++) {
        const struct table_description *table = table_described(i);
        if (!write_tree(writer, table, NULL))
            return false;
        for (unsigned c = 0; c < table->column_count; c++)
            if (table->columns[c].is_indexed && !write_tree(writer, table, &table->columns[c]))
                return false;
    }
    return write_statistics(writer);
}

static void put_header_number(uint8_t *image, size_t offset, uint32_t number)
{
    number = __builtin_bswap32(number);
    memcpy(image + offset, &number, sizeof number);
}

static bool write_database(const struct model *model, int file, const char *path, struct error *error)
{
    struct writer writer = {.model = model, .error = error, .statistics = ARRAY_OF(struct statistic)};
    writer.pages.path = path;
    count_entries(&writer);
    bool good = make_schema(&writer);
    uint8_t *image = NULL;
    if (good) {
        sqlite3_int64 size = 0;
        image = sqlite3_serialize(writer.schema, "main", &size, 0);
        good = image ? true : schema_failed(&writer);
        if (good)
            pages_begin(&writer.pages, file, path, image, (size_t)size, (size_t)writer.page_size, error);
    }
    good = good && write_trees(&writer);
    if (good) {
        /* Change counter, size, the change for which the size is right, the library that wrote it. */
        put_header_number(image, 24, 1);
        put_header_number(image, 28, writer.pages.count);
        put_header_number(image, 92, 1);
        put_header_number(image, 96, (uint32_t)sqlite3_libversion_number());
        good = pages_end(&writer.pages);
    }
    progress_clear();
    pages_free(&writer.pages);
    sqlite3_free(image);
    sqlite3_close(writer.schema);
    free(writer.record.data);
    array_free(&writer.statistics);
    return good;
}

/* A file beside path.  *name is its name, or NULL where it has none yet. */
static int open_beside(const char *path, const char *directory, char **name, struct error *error)
{
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (file >= 0)
        return file;
    for (unsigned try = 0; try < 100; try++) {
        *name = memory_format("%s.tmp-%ld-%u", path, (long)getpid(), try);
        file = open(*name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
        if (file >= 0) {
            leftovers_add(*name);
            return file;
        }
        free(*name);
        *name = NULL;
        if (errno != EEXIST)
            break;
    }
    error_set_errno(error, path, "cannot create a file in its directory");
    return -1;
}

/* Gives the unnamed file a name, by which it can be renamed. */
static char *link_beside(int file, const char *path, struct error *error)
{
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    for (unsigned try = 0; try < 100; try++) {
        char *name = memory_format("%s.tmp-%ld-%u", path, (long)getpid(), try);
        if (!linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
            leftovers_add(name);
            return name;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    error_set_errno(error, path, "cannot name the new database");
    return NULL;
}

bool store_write(const struct model *model, const char *path, struct error *error)
{
    struct stat present;
    if (!stat(path, &present) && !S_ISREG(present.st_mode))
        return error_set(error, path, "exists and is no regular file; name another file for the database");
    char *name = NULL;
    const char *slash = strrchr(path, '/');
    char *directory = slash ? memory_copy_text(path, (size_t)(slash - path) + 1) : memory_copy_text(".", 1);
    int file = open_beside(path, directory, &name, error);
    free(directory);
    if (file < 0)
        return false;
    bool good = write_database(model, file, path, error);
    if (good && fsync(file))
        good = error_set_errno(error, path, "cannot write");
    if (good && !name)
        good = (name = link_beside(file, path, error)) != NULL;
    if (close(file) && good)
        good = error_set_errno(error, path, "cannot write");
    if (good && rename(name, path))
        good = error_set_errno(error, path, "cannot put the new database in its place");
    if (!good && name)
        unlink(name);
    leftovers_drop(name);
    free(name);
    return good;
}
