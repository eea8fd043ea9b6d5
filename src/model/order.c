#include "model/order.h"

#include "model/model.h"

/* Rows without a value may stand between the others. */
static size_t unsorted_row(const struct model *model, const struct table_description *table,
                           const struct table_column *column)
{
    const struct array *rows = table_rows(table, model);
    uint64_t last = 0;
    for (size_t row = table_first_row(table); row < rows->count; row++) {
        uint64_t value = (uint64_t)table_integer(column, array_at(rows, row));
        if (!value)
            continue;
        if (value < last)
            return row;
        last = value;
    }
    return 0;
}

/* Texts and words are ordered by what they say in a database, and as they came in memory, so that equal ones
   stand together, no more; bytes and figures are no keys of searches. */
static int compare(const struct table_column *column, const void *left, const void *right)
{
    if (column->type == COLUMN_REAL || column->type >= COLUMN_BYTES)
        return -1;
    int64_t one = table_integer(column, left), other = table_integer(column, right);
    if (column->type == COLUMN_TEXT || column->type == COLUMN_ENUM)
        return one == other ? 0 : -1;
    if (column->is_signed)
        return (one > other) - (one < other);
    return ((uint64_t)one > (uint64_t)other) - ((uint64_t)one < (uint64_t)other);
}

static const struct table_column *unsorted_key(const struct model *model,
                                               const struct table_description *table, size_t *place)
{
    const struct array *rows = table_rows(table, model);
    const struct table_column *keys[TABLE_KEY_MAX];
    unsigned count = table_columns_of_list(table, table->key, keys);
    for (size_t row = 1; row < rows->count; row++)
        for (unsigned i = 0; i < count; i++) {
            int order = compare(keys[i], array_at(rows, row - 1), array_at(rows, row));
            if (order > 0) {
                *place = row;
                return keys[i];
            }
            if (order < 0)
                break;
        }
    return NULL;
}

const struct table_column *model_unsorted(const struct model *model, const struct table_description *table,
                                          size_t *row)
{
    for (unsigned i = 0; i < table->column_count; i++)
        if (table->columns[i].is_sorted && (*row = unsorted_row(model, table, &table->columns[i])))
            return &table->columns[i];
    return table->key ? unsorted_key(model, table, row) : NULL;
}
