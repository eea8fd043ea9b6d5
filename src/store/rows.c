/* Sorting of rows by columns.

   Every value is turned into a 64-bit rank that sorts as SQL sorts: integers by flipping the sign bit, words
   of an ENUM and texts by their place among the sorted distinct ones, NULL below all.  Ranks are sorted by a
   stable radix sort from the last column to the first, skipping bytes that are equal in all rows; so sorting
   costs a few passes over memory, whatever the columns are.

   ADDRESS columns use all 64 bits and NULL must still be below: a row's rank is its value minus the lowest
   value, plus one.  That overflows only if both ends of the 64-bit range occur; NO_ADDRESS (2^64-1) is NULL
   and not a value, so the distance always fits, and the "plus one" too unless both -2^63 and 2^63-1 occur.
   That last case is sorted by comparison. */
#include "store/rows.h"

#include <stdlib.h>

struct key {
    uint64_t rank;
    uint32_t row;
};

static const void *record_at(const struct array *rows, size_t index)
{
    return (const char *)rows->data + index * rows->width;
}

static bool is_in_order(const struct model *model, const struct table_description *table,
                        const struct table_column *const *columns, unsigned column_count)
{
    const struct array *rows = table_rows(table, model);
    for (size_t i = table_first_row(table) + 1; i < rows->count; i++)
        if (rows_compare_records(model, columns, column_count, record_at(rows, i - 1), record_at(rows, i)) >
            0)
            return false;
    return true;
}

struct ranked_text {
    const char *bytes;
    size_t size;
    uint32_t number;
};

static int compare_texts(const void *left, const void *right)
{
    const struct ranked_text *a = left, *b = right;
    size_t size = a->size < b->size ? a->size : b->size;
    int order = size ? memcmp(a->bytes, b->bytes, size) : 0;
    return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

/* Rank of each string id that the column uses, or of each word of an ENUM; 0 stays for NULL. */
static uint32_t *ranks_of_texts(const struct model *model, const struct table_description *table,
                                const struct table_column *column)
{
    const struct array *rows = table_rows(table, model);
    size_t numbers = column->type == COLUMN_ENUM ? 256 : model->strings.entries.count + 1;
    uint32_t *ranks = memory_get(numbers * sizeof *ranks);
    struct array texts = ARRAY_OF(struct ranked_text);
    for (size_t i = table_first_row(table); i < rows->count; i++) {
        uint64_t number = (uint64_t)table_integer(column, record_at(rows, i));
        struct value value = rows_value(model, column, record_at(rows, i));
        if (value.kind != VALUE_TEXT || ranks[number])
            continue;
        ranks[number] = 1;
        *(struct ranked_text *)array_add(&texts) =
            (struct ranked_text){.bytes = value.bytes, .size = value.size, .number = (uint32_t)number};
    }
    if (texts.count)
        qsort(texts.data, texts.count, texts.width, compare_texts);
    for (size_t i = 0; i < texts.count; i++)
        ranks[ARRAY_AT(struct ranked_text, &texts, i)->number] = (uint32_t)i + 1;
    array_free(&texts);
    return ranks;
}

static int64_t lowest_integer(const struct model *model, const struct table_description *table,
                              const struct table_column *column, bool *spans_all)
{
    const struct array *rows = table_rows(table, model);
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (size_t i = table_first_row(table); i < rows->count; i++) {
        struct value value = rows_value(model, column, record_at(rows, i));
        if (value.kind != VALUE_INTEGER)
            continue;
        lowest = value.integer < lowest ? value.integer : lowest;
        highest = value.integer > highest ? value.integer : highest;
    }
    *spans_all = lowest == INT64_MIN && highest == INT64_MAX;
    return lowest;
}

/* Fills in the ranks by one column for the rows in their order in keys; false if they do not fit. */
static bool rank_keys(struct key *keys, size_t count, const struct model *model,
                      const struct table_description *table, const struct table_column *column)
{
    const struct array *rows = table_rows(table, model);
    if (column->type == COLUMN_TEXT || column->type == COLUMN_ENUM) {
        uint32_t *ranks = ranks_of_texts(model, table, column);
        for (size_t i = 0; i < count; i++)
            keys[i].rank = ranks[table_integer(column, record_at(rows, keys[i].row))];
        free(ranks);
        return true;
    }
    if (column->type == COLUMN_BYTES || column->type == COLUMN_VIRTUAL || column->type == COLUMN_REAL)
        return false;
    bool spans_all;
    int64_t lowest = lowest_integer(model, table, column, &spans_all);
    if (spans_all)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct value value = rows_value(model, column, record_at(rows, keys[i].row));
        keys[i].rank = value.kind == VALUE_NULL ? 0 : (uint64_t)value.integer - (uint64_t)lowest + 1;
    }
    return true;
}

static void radix_sort(struct key **keys, struct key **spare, size_t count)
{
    enum { DIGIT = 11, BUCKETS = 1 << DIGIT };
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= (*keys)[i].rank;
    for (unsigned shift = 0; shift < 64 && all >> shift; shift += DIGIT) {
        size_t starts[BUCKETS] = {0};
        for (size_t i = 0; i < count; i++)
            starts[(*keys)[i].rank >> shift & (BUCKETS - 1)]++;
        size_t sum = 0;
        for (unsigned b = 0; b < BUCKETS; b++) {
            size_t size = starts[b];
            starts[b] = sum;
            sum += size;
        }
        for (size_t i = 0; i < count; i++)
            (*spare)[starts[(*keys)[i].rank >> shift & (BUCKETS - 1)]++] = (*keys)[i];
        struct key *swap = *keys;
        *keys = *spare;
        *spare = swap;
    }
}

struct comparison {
    const struct model *model;
    const struct array *rows;
    const struct table_column *column;
};

/* Stable, because rank holds the position here. */
static int compare_keys(const void *left, const void *right, void *context)
{
    const struct comparison *by = context;
    const struct key *a = left, *b = right;
    struct value before = rows_value(by->model, by->column, record_at(by->rows, a->row));
    struct value after = rows_value(by->model, by->column, record_at(by->rows, b->row));
    int order = rows_compare(&before, &after);
    return order ? order : a->rank < b->rank ? -1 : a->rank > b->rank;
}

uint32_t *rows_order(const struct model *model, const struct table_description *table,
                     const struct table_column *const *columns, unsigned column_count)
{
    if (is_in_order(model, table, columns, column_count))
        return NULL;
    size_t count = rows_count(table, model), first = table_first_row(table);
    struct key *keys = memory_get(count * sizeof *keys), *spare = memory_get(count * sizeof *spare);
    for (size_t i = 0; i < count; i++)
        keys[i].row = (uint32_t)(i + first);
    for (unsigned c = column_count; c-- > 0;) {
        if (rank_keys(keys, count, model, table, columns[c])) {
            radix_sort(&keys, &spare, count);
        } else {
            struct comparison by = {model, table_rows(table, model), columns[c]};
            for (size_t i = 0; i < count; i++)
                keys[i].rank = i;
            qsort_r(keys, count, sizeof *keys, compare_keys, &by);
        }
    }
    free(spare);
    uint32_t *order = memory_get((count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = keys[i].row;
    free(keys);
    return order;
}
