#include "store/batches.h"

#include <stdlib.h>

/* Columns in the order of an entry in a tree without rowids: first, then key, then the others if wanted; each
   once. */
static void take_entry_columns(struct batch_source *source, bool all)
{
    const struct table_description *table = source->table;
    const struct table_column *key[TABLE_KEY_MAX];
    unsigned count = 0, keys = table_columns_of_list(table, table->key, key);
    if (source->first)
        source->columns[count++] = source->first;
    for (unsigned i = 0; i < keys; i++)
        if (key[i] != source->first)
            source->columns[count++] = key[i];
    source->key_count = count;
    for (unsigned i = 0; all && i < table->column_count; i++) {
        bool known = table->columns[i].type == COLUMN_VIRTUAL;
        for (unsigned k = 0; k < source->key_count; k++)
            known = known || source->columns[k] == &table->columns[i];
        if (!known)
            source->columns[count++] = &table->columns[i];
    }
    source->column_count = count;
}

static void take_table_columns(struct batch_source *source)
{
    for (unsigned i = 0; i < source->table->column_count; i++)
        if (source->table->columns[i].type != COLUMN_VIRTUAL)
            source->columns[source->column_count++] = &source->table->columns[i];
}

void batch_source_begin(struct batch_source *source, const struct model *model,
                        const struct table_description *table, const struct table_column *first)
{
    *source = (struct batch_source){.model = model,
                                    .table = table,
                                    .first = first,
                                    .row_count = rows_count(table, model),
                                    .has_rowids = !table->key && !first};
    source->columns = memory_get((table->column_count + 1) * sizeof(struct table_column *));
    if (source->has_rowids) {
        take_table_columns(source);
        return;
    }
    take_entry_columns(source, !first);
    source->order = rows_order(model, table, source->columns, source->key_count);
}

void batch_source_end(struct batch_source *source)
{
    free(source->order);
    free(source->columns);
}

static size_t row_at(const struct batch_source *source, size_t place)
{
    return source->order ? source->order[place] : place + table_first_row(source->table);
}

static const void *record_at(const struct batch_source *source, size_t row)
{
    const struct array *rows = table_rows(source->table, source->model);
    return (const char *)rows->data + row * rows->width;
}

static void add_record(struct batch *batch, struct record record, int64_t rowid)
{
    memcpy(array_push_many(&batch->bytes, record.size), record.data, record.size);
    struct batch_end *end = array_push(&batch->ends);
    *end = (struct batch_end){.offset = batch->bytes.count, .rowid = rowid};
}

static void encode_table(struct batch *batch, const struct batch_source *source, size_t from, size_t to)
{
    for (size_t place = from; place < to; place++) {
        size_t row = row_at(source, place);
        add_record(batch,
                   record_encode_row(&batch->space, source->model, source->columns, source->column_count, 0,
                                     record_at(source, row), true, 0),
                   (int64_t)row);
    }
}

static enum batch_fault check_key(const struct batch_source *source, const void *before, const void *record)
{
    for (unsigned i = 0; i < source->key_count; i++)
        if (rows_is_null(source->model, source->columns[i], record))
            return BATCH_EMPTY_KEY;
    bool is_equal =
        before && !rows_compare_records(source->model, source->columns, source->key_count, before, record);
    return is_equal ? BATCH_EQUAL_KEYS : BATCH_SOUND;
}

/* Indexes leave out NULLs, which sort first. */
static void encode_entries(struct batch *batch, const struct batch_source *source, size_t from, size_t to)
{
    const struct table_column *const *columns = source->columns;
    const void *before = from ? record_at(source, row_at(source, from - 1)) : NULL;
    unsigned least = source->first ? source->column_count : source->key_count;
    if (before && source->first && rows_is_null(source->model, source->first, before))
        before = NULL;
    for (size_t place = from; place < to && batch->fault == BATCH_SOUND; place++) {
        size_t row = row_at(source, place);
        const void *record = record_at(source, row);
        if (source->first && rows_is_null(source->model, source->first, record))
            continue;
        batch->distinct += !before || rows_compare_records(source->model, columns, 1, before, record);
        if (!source->first)
            batch->fault = check_key(source, before, record);
        add_record(batch,
                   record_encode_row(&batch->space, source->model, columns, source->column_count, least,
                                     record, false, source->table->key ? 0 : (int64_t)row),
                   0);
        before = record;
    }
}

void batch_encode(struct batch *batch, const struct batch_source *source, size_t number)
{
    size_t from = number * BATCH_ROWS, to = from + BATCH_ROWS;
    batch->bytes.width = 1;
    batch->ends.width = sizeof(struct batch_end);
    batch->bytes.count = batch->ends.count = batch->distinct = 0;
    batch->fault = BATCH_SOUND;
    to = to < source->row_count ? to : source->row_count;
    if (source->has_rowids)
        encode_table(batch, source, from, to);
    else
        encode_entries(batch, source, from, to);
}

void batch_free(struct batch *batch)
{
    array_free(&batch->bytes);
    array_free(&batch->ends);
    record_space_free(&batch->space);
}
