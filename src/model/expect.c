#include "model/expect.h"

#ifdef ASSAY_EXPECT
#include "model/tables.h"

#include <stdio.h>

static _Noreturn void fail(const struct table_description *table, const struct table_column *column,
                           size_t row, const char *what, const char *room)
{
    char words[500];
    snprintf(words, sizeof words, "%s.%s of row %zu to %s (after %s)", table->name, column->name, row, what,
             room);
    expect_failed(words, "src/model/tables.def", 0, "the model");
}

static void expect_references(const struct model *model, const struct table_description *table,
                              const struct table_column *column, const char *room)
{
    const struct array *rows = table_rows(table, model);
    size_t limit = table_rows(column->refers_to, model)->count;
    for (size_t row = table_first_row(table); limit > 1 && row < rows->count; row++) {
        uint64_t id = (uint64_t)table_integer(column, array_at(rows, row));
        if (id && id >= limit)
            fail(table, column, row, "name a row", room);
    }
}

/* Rows without a value may stand between the others. */
static void expect_order(const struct model *model, const struct table_description *table,
                         const struct table_column *column, const char *room)
{
    const struct array *rows = table_rows(table, model);
    uint64_t last = 0;
    for (size_t row = table_first_row(table); row < rows->count; row++) {
        uint64_t value = (uint64_t)table_integer(column, array_at(rows, row));
        if (!value)
            continue;
        if (value < last)
            fail(table, column, row, "be no less than the one before", room);
        last = value;
    }
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

static void expect_keys(const struct model *model, const struct table_description *table, const char *room)
{
    const struct array *rows = table_rows(table, model);
    const struct table_column *keys[TABLE_KEY_MAX];
    unsigned count = table_columns_of_list(table, table->key, keys);
    for (size_t row = 1; row < rows->count; row++)
        for (unsigned i = 0; i < count; i++) {
            int order = compare(keys[i], array_at(rows, row - 1), array_at(rows, row));
            if (order > 0)
                fail(table, keys[i], row, "be no less than the one before", room);
            if (order < 0)
                break;
        }
}

void model_expect(const struct model *model, const char *room)
{
    for (unsigned t = 0; t < table_count; t++) {
        const struct table_description *table = &table_descriptions[t];
        for (unsigned i = 0; i < table->column_count; i++) {
            const struct table_column *column = &table->columns[i];
            if (column->type == COLUMN_REF)
                expect_references(model, table, column, room);
            if (column->is_sorted)
                expect_order(model, table, column, room);
        }
        if (table->key)
            expect_keys(model, table, room);
    }
}
#endif
