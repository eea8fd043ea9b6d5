/* Loads tables of a database into a model, for analyses written in C.

   The reverse of rows.h: NULL becomes its representation in a record, a word of an ENUM its number. Columns
   that exist in memory only, computed columns and blobs stay empty.

   A database is untrusted, and C code trusts ids. So every REF must name a row of its table (if that table is
   loaded; else it becomes 0), ranges of ids must lie in their table, ids must count from 1, and what is searched by bisection must be in
   order. The schema was checked when the database was opened. */
#include "store/loading.h"

#include "model/expect.h"
#include "model/order.h"
#include "store/problem.h"
#include "store/rows.h"
#include "store/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool loading_damaged(struct loading *loading, const struct table_description *table, const char *what)
{
    return error_set(
        loading->error, NULL,
        "the table %s of the database is damaged: %s; make it again with assay db, or assay run -o",
        table->name, what);
}

static bool is_stored(const struct table_column *column)
{
    return column->type != COLUMN_VIRTUAL && column->type != COLUMN_BYTES;
}

sqlite3_stmt *loading_select(struct loading *loading, const struct table_description *table,
                             const char *condition)
{
    struct schema_text query = {0};
    schema_add(&query, "select %s", table->key ? "0" : "id");
    for (unsigned i = 0; i < table->column_count; i++)
        if (is_stored(&table->columns[i])) {
            schema_add(&query, ", ");
            schema_add_name(&query, table->columns[i].name);
        }
    schema_add(&query, " from ");
    schema_add_name(&query, table->name);
    if (condition)
        schema_add(&query, " where %s", condition);
    schema_add(&query, " order by %s", table->key ? table->key : "id");
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(loading->connection, query.data, -1, &rows, NULL) != SQLITE_OK)
        error_set(loading->error, NULL, "%s", store_problem(loading->connection));
    free(query.data);
    return rows;
}

static int64_t word_number(const struct table_column *column, const char *word)
{
    for (unsigned i = 0; word && i < column->vocabulary->count; i++)
        if (!strcmp(column->vocabulary->words[i], word))
            return i;
    return 0;
}

static void set_integer(const struct table_column *column, void *record, int64_t value)
{
    char *field = (char *)record + column->offset;
    switch (column->size) {
    case 1:
        memcpy(field, &(uint8_t){(uint8_t)value}, 1);
        break;
    case 2:
        memcpy(field, &(uint16_t){(uint16_t)value}, 2);
        break;
    case 4:
        memcpy(field, &(uint32_t){(uint32_t)value}, 4);
        break;
    default:
        memcpy(field, &value, 8);
        break;
    }
}

/* Whether a value fits its field: a truncated number would be a different number. */
static bool fits(const struct table_column *column, int64_t value)
{
    if (column->type == COLUMN_FLAG)
        return value == 0 || value == 1;
    if (column->vocabulary && column->type == COLUMN_NUMBER) /* a CODED column */
        return value >= 0 && value < column->vocabulary->count;
    if (column->size >= 8)
        return true;
    int64_t range = (int64_t)1 << (8 * column->size);
    return column->is_signed ? value >= -range / 2 && value < range / 2 : value >= 0 && value < range;
}

static bool take_value(struct loading *loading, const struct table_description *table,
                       const struct table_column *column, sqlite3_stmt *rows, int place, void *record)
{
    bool is_null = sqlite3_column_type(rows, place) == SQLITE_NULL;
    int64_t value = is_null ? 0 : sqlite3_column_int64(rows, place);
    if (column->type == COLUMN_REAL) {
        double real = is_null ? NAN : sqlite3_column_double(rows, place);
        memcpy((char *)record + column->offset, &real, sizeof real);
        return true;
    }
    if (column->type == COLUMN_TEXT)
        value = is_null ? 0 : model_string(loading->model, (const char *)sqlite3_column_text(rows, place));
    else if (column->type == COLUMN_ENUM)
        value = word_number(column, (const char *)sqlite3_column_text(rows, place));
    else if (is_null && column->type == COLUMN_MAYBE)
        value = NO_NUMBER;
    else if (is_null && column->type == COLUMN_ADDRESS)
        value = (int64_t)NO_ADDRESS;
    if (!fits(column, value))
        return loading_damaged(loading, table, "a number is out of range");
    set_integer(column, record, value);
    return true;
}

bool loading_take(struct loading *loading, const struct table_description *table, sqlite3_stmt *rows,
                  void *record)
{
    int place = 1;
    for (unsigned i = 0; i < table->column_count; i++)
        if (is_stored(&table->columns[i]) &&
            !take_value(loading, table, &table->columns[i], rows, place++, record))
            return false;
    return true;
}

static bool take_row(struct loading *loading, const struct table_description *table, sqlite3_stmt *rows)
{
    struct array *records = (struct array *)((char *)loading->model + table->in_model);
    if (records->count >= UINT32_MAX - 1)
        return loading_damaged(loading, table, "it has too many rows");
    if (!table->key && sqlite3_column_int64(rows, 0) != (int64_t)records->count)
        return loading_damaged(loading, table, "its ids do not count from 1");
    return loading_take(loading, table, rows, array_add(records));
}

static bool load_table(struct loading *loading, const struct table_description *table)
{
    sqlite3_stmt *rows = loading_select(loading, table, NULL);
    bool good = rows;
    int state = SQLITE_DONE;
    while (good && (state = sqlite3_step(rows)) == SQLITE_ROW)
        good = take_row(loading, table, rows);
    if (good && state != SQLITE_DONE)
        good = error_set(loading->error, NULL, "%s", store_problem(loading->connection));
    sqlite3_finalize(rows);
    return good;
}

bool loading_check_references(struct loading *loading, const struct table_description *table, size_t first,
                              size_t end)
{
    const struct array *records = table_rows(table, loading->model);
    for (unsigned i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        if (column->type != COLUMN_REF)
            continue;
        size_t limit = table_rows(column->refers_to, loading->model)->count;
        for (size_t row = first; row < end; row++) {
            void *record = array_at(records, row);
            uint64_t id = (uint64_t)table_integer(column, record);
            if (limit <= 1)
                set_integer(column, record, 0);
            else if (id >= limit)
                return loading_damaged(loading, table, "an id does not name a row");
        }
    }
    return true;
}

/* A range of rows, given by its first row and its length. */
static bool is_run(uint64_t first, uint64_t count, const struct array *rows)
{
    return count == 0 || (first >= 1 && first < rows->count && count <= rows->count - first);
}

/* The blocks of a function are consecutive, and so are their instructions, all of one instruction set. */
bool loading_check_function(struct loading *loading, uint32_t id)
{
    const struct model *model = loading->model;
    const struct function *function = model_function(model, id);
    unsigned isa =
        function->program < model->programs.count ? model_program(model, function->program)->isa : 0;
    uint32_t next = 0;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct block *block = model_block(model, function->first_block + b);
        if (b && block->first_instruction != next)
            return loading_damaged(loading, table_named("blocks"),
                                   "instructions of a function are not consecutive");
        next = block->first_instruction + block->instruction_count;
        for (uint32_t i = block->first_instruction; i < next && model->encodings.count; i++) {
            const struct instruction *instruction = model_instruction(model, i);
            if (model_encoding(model, instruction->encoding)->isa != isa)
                return loading_damaged(loading, table_named("code"),
                                       "an instruction is not of its program's instruction set");
        }
    }
    return true;
}

bool loading_check_blocks(struct loading *loading, uint32_t first, uint32_t end)
{
    const struct model *model = loading->model;
    for (uint32_t id = first; id < end; id++) {
        const struct block *row = model_block(model, id);
        if (!is_run(row->first_instruction, row->instruction_count, &model->code))
            return loading_damaged(loading, table_named("blocks"),
                                   "a range of instructions is out of bounds");
    }
    return true;
}

/* Blocks that are filled later are checked then: looking at them here would take memory for all of them. */
static bool check_runs(struct loading *loading, bool has_blocks)
{
    const struct model *model = loading->model;
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *row = model_function(model, id);
        if (!is_run(row->first_block, row->block_count, &model->blocks))
            return loading_damaged(loading, table_named("functions"), "a range of blocks is out of bounds");
    }
    if (has_blocks && !loading_check_blocks(loading, 1, (uint32_t)model->blocks.count))
        return false;
    for (uint32_t id = 1; id < model->loops.count; id++) /* or who follows parents would never end */
        if (model_loop(model, id)->parent >= id)
            return loading_damaged(loading, table_named("loops"), "a loop comes before the loop around it");
    for (uint32_t id = 1; id < model->bundles.count; id++) {
        const struct bundle *row = model_bundle(model, id);
        if (row->instruction_count > 3 ||
            !is_run(row->first_instruction, row->instruction_count, &model->code))
            return loading_damaged(loading, table_named("bundles"),
                                   "a range of instructions is out of bounds");
    }
    return true;
}

/* Lets a path that is added again find its row. */
static void index_files(struct model *model)
{
    for (uint32_t id = 1; id < model->files.count; id++) {
        string_id path = model_file(model, id)->path;
        if (model->file_of_string.count <= path)
            array_add_many(&model->file_of_string, path + 1 - model->file_of_string.count);
        *ARRAY_AT(uint32_t, &model->file_of_string, path) = id;
    }
}

/* Each row takes at least a byte of the database. */
bool loading_reserve(struct loading *loading, const struct table_description *table)
{
    struct array *records = (struct array *)((char *)loading->model + table->in_model);
    struct schema_text query = {0};
    if (table->key)
        return true;
    schema_add(&query,
               "select coalesce(max(id), 0), (select page_count * page_size from pragma_page_count, "
               "pragma_page_size) from %s",
               table->name);
    sqlite3_stmt *rows = NULL;
    int64_t last = -1, bytes = 0;
    if (sqlite3_prepare_v2(loading->connection, query.data, -1, &rows, NULL) == SQLITE_OK &&
        sqlite3_step(rows) == SQLITE_ROW) {
        last = sqlite3_column_int64(rows, 0);
        bytes = sqlite3_column_int64(rows, 1);
    }
    sqlite3_finalize(rows);
    free(query.data);
    if (last < 0 || last > bytes || last >= UINT32_MAX - 1)
        return loading_damaged(loading, table, "its ids do not count from 1");
    free(records->data);
    records->data = memory_get(((size_t)last + 1) * records->width);
    records->count = records->capacity = (size_t)last + 1;
    return true;
}

bool store_load_outline(struct store *store, struct model *model, const char *const *tables,
                        const char *const *later, struct error *error)
{
    struct loading loading = {.connection = store_connection(store), .model = model, .error = error};
    bool good = true, has_blocks = true;
    for (const char *const *name = later; good && *name; name++) {
        good = loading_reserve(&loading, table_named(*name));
        has_blocks = has_blocks && strcmp(*name, "blocks");
    }
    for (const char *const *name = tables; good && *name; name++)
        good = load_table(&loading, table_named(*name));
    for (const char *const *name = tables; good && *name; name++) {
        const struct table_description *table = table_named(*name);
        good = loading_check_references(&loading, table, table_first_row(table),
                                        table_rows(table, model)->count);
    }
    if (good)
        index_files(model);
    return good && check_runs(&loading, has_blocks);
}

bool store_load(struct store *store, struct model *model, const char *const *tables, struct error *error)
{
    struct loading loading = {.connection = store_connection(store), .model = model, .error = error};
    static const char *const nothing[] = {NULL};
    bool good = store_load_outline(store, model, tables, nothing, error);
    for (uint32_t id = 1; good && id < model->functions.count; id++)
        good = loading_check_function(&loading, id);
    for (const char *const *name = tables; good && *name; name++) {
        size_t row;
        if (model_unsorted(model, table_named(*name), &row))
            good = loading_damaged(&loading, table_named(*name), "its rows are not in order");
    }
    if (good)
        model_expect(model, "loading");
    return good;
}
