/* Records seen as SQL values.

   tables.def says how a field of a record reads in SQL (a REF of 0 is NULL, an ENUM is its word, …).  Only
   this file knows it: the virtual tables and the writer both use it, so that a model in memory and its
   database cannot disagree.  Values point into the model and cost nothing to make. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H
#include "model/tables.h"

#include <string.h>

enum value_kind { VALUE_NULL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_BLOB };

struct value {
    enum value_kind kind;
    int64_t integer;
    double real;
    const void *bytes; /* of a text or a blob, never NULL */
    size_t size;
};

/* From table_first_row on. */
static inline size_t rows_count(const struct table_description *table, const struct model *model)
{
    size_t count = table_rows(table, model)->count, first = table_first_row(table);
    return count > first ? count - first : 0;
}

static inline struct value rows_value(const struct model *model, const struct table_column *column,
                                      const void *record)
{
    if (column->type == COLUMN_BYTES) {
        struct span span = column->bytes ? column->bytes(model, record)
                                         : *(const struct span *)((const char *)record + column->offset);
        return span.data ? (struct value){.kind = VALUE_BLOB, .bytes = span.data, .size = span.size}
                         : (struct value){.kind = VALUE_NULL};
    }
    if (column->type == COLUMN_VIRTUAL)
        return (struct value){.kind = VALUE_NULL};
    if (column->type == COLUMN_REAL) {
        struct value value = {.kind = VALUE_REAL};
        memcpy(&value.real, (const char *)record + column->offset, sizeof value.real);
        value.kind = value.real == value.real ? VALUE_REAL : VALUE_NULL;
        return value;
    }
    int64_t integer = table_integer(column, record);
    switch (column->type) {
    case COLUMN_REF:
    case COLUMN_OPTIONAL:
        return (struct value){.kind = integer ? VALUE_INTEGER : VALUE_NULL, .integer = integer};
    case COLUMN_MAYBE:
        return (struct value){.kind = integer == NO_NUMBER ? VALUE_NULL : VALUE_INTEGER, .integer = integer};
    case COLUMN_ADDRESS:
        return (struct value){.kind = (uint64_t)integer == NO_ADDRESS ? VALUE_NULL : VALUE_INTEGER,
                              .integer = integer};
    case COLUMN_TEXT: {
        const char *text = strings_text(&model->strings, (string_id)integer);
        return text ? (struct value){.kind = VALUE_TEXT,
                                     .bytes = text,
                                     .size = strings_length(&model->strings, (string_id)integer)}
                    : (struct value){.kind = VALUE_NULL};
    }
    case COLUMN_ENUM: {
        if ((uint64_t)integer >= column->vocabulary->count || (!integer && column->is_zero_null))
            return (struct value){.kind = VALUE_NULL};
        const char *word = column->vocabulary->words[integer];
        return (struct value){.kind = VALUE_TEXT, .bytes = word, .size = strlen(word)};
    }
    default:
        return (struct value){.kind = VALUE_INTEGER, .integer = integer};
    }
}

/* The order of SQL (collation BINARY): NULL, numbers, texts, blobs.  A column has integers or reals, not
   both. */
static inline int rows_compare(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == VALUE_NULL)
        return 0;
    if (a->kind == VALUE_INTEGER)
        return a->integer < b->integer ? -1 : a->integer > b->integer;
    if (a->kind == VALUE_REAL)
        return a->real < b->real ? -1 : a->real > b->real;
    size_t size = a->size < b->size ? a->size : b->size;
    int order = size ? memcmp(a->bytes, b->bytes, size) : 0;
    return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

/* Two records in SQL order of the columns. */
static inline int rows_compare_records(const struct model *model, const struct table_column *const *columns,
                                       unsigned count, const void *a, const void *b)
{
    for (unsigned i = 0; i < count; i++) {
        const struct table_column *column = columns[i];
        int order;
        /* NULL is 0 here, below everything else. */
        bool is_plain =
            column->type == COLUMN_REF || column->type == COLUMN_NUMBER || column->type == COLUMN_FLAG;
        if (is_plain) {
            int64_t x = table_integer(column, a), y = table_integer(column, b);
            order = x < y ? -1 : x > y;
        } else {
            struct value x = rows_value(model, column, a), y = rows_value(model, column, b);
            order = rows_compare(&x, &y);
        }
        if (order)
            return order;
    }
    return 0;
}

static inline bool rows_is_null(const struct model *model, const struct table_column *column,
                                const void *record)
{
    if (column->type == COLUMN_REF)
        return !table_integer(column, record);
    if (column->type == COLUMN_NUMBER || column->type == COLUMN_FLAG)
        return false;
    return rows_value(model, column, record).kind == VALUE_NULL;
}

/* Array indexes of all rows in SQL order of the columns, equal rows in row order; NULL if the rows are
   already in that order. To be freed. */
uint32_t *rows_order(const struct model *model, const struct table_description *table,
                     const struct table_column *const *columns, unsigned column_count);
#endif
