/* Writes a model as a database file.

   SQLite creates the schema in memory: all tables and indexes, empty, each with its root page. Then tree.c
   writes every tree in one pass over the rows: tables in row order, tables without rowid in key order,
   indexes in the order of their column. All threads make the records, in batches (batches.c), which are added
   in order. Statistics for SQLite's planner are a by-product.  Nothing depends on time, threads or memory
   addresses, so the same model gives the same bytes.

   The file gets its name when it is complete (base/output.h). It is not synced to disk: like an object file
   it can be made again. */
#include "store/store.h"

#include "base/output.h"
#include "base/progress.h"
#include "base/workers.h"
#include "store/batches.h"
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A tree takes at least one page: small databases have small pages. */
enum { PAGE_SIZE = 16384, SMALL_PAGE_SIZE = 4096, FEW_ROWS = 50000, BATCHES_OF_THREAD = 4 };

struct writer {
    const struct model *model;
    sqlite3 *schema;
    struct pages pages;
    struct record_space space;
    struct array statistics; /* of struct statistic */
    size_t done, total;      /* rows and index entries */
    int page_size;
    unsigned threads;
    struct batch *batches; /* of a wave */
    size_t batch_count;
    struct error *error;
};

/* A row of sqlite_stat1: number of rows, and of rows that share the first column of the index. */
struct statistic {
    const char *table;
    char index[128]; /* empty for the table itself */
    size_t rows, distinct;
};

static bool schema_failed(struct writer *writer)
{
    return error_set(writer->error, writer->pages.path, "cannot create the schema: %s",
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

/* The root page of a table or index, 0 if there is none. */
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

static void tell(struct writer *writer, size_t rows)
{
    writer->done += rows;
    progress_tell("writing rows", writer->done, writer->total);
}

static bool damaged(struct writer *writer, const struct batch_source *source, enum batch_fault fault)
{
    return error_set(writer->error, writer->pages.path,
                     fault == BATCH_EMPTY_KEY
                         ? "the model is damaged: a row of %s has an empty key (please report this)"
                         : "the model is damaged: two rows of %s have the same key (please report this)",
                     source->table->name);
}

static bool add_batch(struct writer *writer, struct tree *tree, const struct batch *batch)
{
    size_t at = 0;
    for (size_t i = 0; i < batch->ends.count; i++) {
        const struct batch_end *end = ARRAY_AT(struct batch_end, &batch->ends, i);
        struct record record = {.data = (uint8_t *)batch->bytes.data + at, .size = end->offset - at};
        if (!tree_add(tree, end->rowid, &record))
            return false;
        at = end->offset;
    }
    tell(writer, batch->ends.count);
    return true;
}

/* Batches that are made together. */
struct wave {
    const struct batch_source *source;
    struct batch *batches;
    size_t first; /* number of the first of them */
};

static void encode_one(void *context, size_t item, unsigned worker)
{
    const struct wave *wave = context;
    (void)worker;
    batch_encode(&wave->batches[item], wave->source, wave->first + item);
}

static bool fill_tree(struct writer *writer, struct tree *tree, const struct batch_source *source)
{
    size_t batches = (source->row_count + BATCH_ROWS - 1) / BATCH_ROWS, distinct = 0;
    struct wave wave = {.source = source, .batches = writer->batches};
    bool good = true;
    for (; wave.first < batches && good; wave.first += writer->batch_count) {
        size_t count = batches - wave.first;
        count = count < writer->batch_count ? count : writer->batch_count;
        workers_run(writer->threads, count, encode_one, &wave);
        for (size_t i = 0; i < count && good; i++) {
            const struct batch *batch = &wave.batches[i];
            good = batch->fault ? damaged(writer, source, batch->fault) : add_batch(writer, tree, batch);
            distinct += batch->distinct;
        }
    }
    struct statistic *statistic = add_statistic(writer, source->table);
    statistic->distinct = distinct;
    if (source->first)
        schema_index_name(statistic->index, source->table, source->first);
    else if (!source->has_rowids)
        snprintf(statistic->index, sizeof statistic->index, "%s", source->table->name);
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
    struct batch_source source;
    batch_source_begin(&source, writer->model, table, indexed);
    tree_begin(&tree, &writer->pages, root, !source.has_rowids);
    bool filled = fill_tree(writer, &tree, &source);
    batch_source_end(&source);
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
        snprintf(numbers, sizeof numbers, "%zu", statistic->rows);
        if (statistic->distinct)
            snprintf(numbers, sizeof numbers, "%zu %zu", statistic->rows,
                     (statistic->rows + statistic->distinct - 1) / statistic->distinct);
        const char *texts[] = {statistic->table, statistic->index[0] ? statistic->index : NULL, numbers};
        struct record record = record_encode_texts(&writer->space, texts, 3);
        good = tree_add(&tree, ++rowid, &record);
    }
    return tree_end(&tree) && good;
}

static void count_entries(struct writer *writer)
{
    for (unsigned i = 0; i < table_count; i++) {
        const struct table_description *table = &table_descriptions[i];
        writer->total += rows_count(table, writer->model);
        for (unsigned c = 0; c < table->column_count; c++)
            writer->total += table->columns[c].is_indexed ? rows_count(table, writer->model) : 0;
    }
    writer->page_size = writer->total < FEW_ROWS ? SMALL_PAGE_SIZE : PAGE_SIZE;
}

static bool write_trees(struct writer *writer)
{
    for (unsigned i = 0; i < table_count; i++) {
        const struct table_description *table = &table_descriptions[i];
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

static bool write_database(const struct model *model, int file, const char *path, unsigned threads,
                           struct error *error)
{
    struct writer writer = {
        .model = model, .error = error, .statistics = ARRAY_OF(struct statistic), .threads = threads};
    writer.batch_count = (size_t)workers_count(threads) * BATCHES_OF_THREAD;
    writer.batches = memory_get(writer.batch_count * sizeof *writer.batches);
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
    for (size_t i = 0; i < writer.batch_count; i++)
        batch_free(&writer.batches[i]);
    free(writer.batches);
    record_space_free(&writer.space);
    array_free(&writer.statistics);
    return good;
}

bool store_write(const struct model *model, const char *path, unsigned threads, struct error *error)
{
    struct stat present;
    if (!stat(path, &present) && !S_ISREG(present.st_mode))
        return error_set(error, path, "exists and is not a regular file; name another file for the database");
    struct output *output = output_open(path, error);
    if (!output)
        return false;
    if (write_database(model, fileno(output_stream(output)), path, threads, error))
        return output_finish(output, error);
    output_abandon(output);
    return false;
}
