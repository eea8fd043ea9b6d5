/* The tables described as data, for code that works on any table: the SQL schema, the virtual tables, the
   reference page.  tools/model-tables makes the descriptions from tables.def and enums.def. */
#ifndef MODEL_TABLES_H
#define MODEL_TABLES_H
#include "model/model.h"

#include <string.h>

enum column_type {
    COLUMN_REF,
    COLUMN_TEXT,
    COLUMN_NUMBER,
    COLUMN_OPTIONAL,
    COLUMN_MAYBE,
    COLUMN_REAL,
    COLUMN_ADDRESS,
    COLUMN_FLAG,
    COLUMN_ENUM,
    COLUMN_BYTES,
    COLUMN_VIRTUAL,
};

struct table_column {
    const char *name, *doc;
    const char *brief; /* the doc without what NULL means */
    const char *group; /* what it and the columns after it have in common; NULL: as the one before */
    enum column_type type;
    uint8_t size; /* bytes of an integer in the record */
    bool is_signed;
    bool is_zero_null;                                /* an ENUM whose first value is NULL */
    bool is_share;                                    /* a REAL from 0 to 1 */
    bool is_sorted;                                   /* rows are in non-decreasing order of it */
    bool is_indexed;                                  /* has an index on disk */
    bool is_searched;                                 /* is searched in memory */
    size_t offset;                                    /* in the record */
    const struct table_description *refers_to;        /* table of a REF */
    const struct enumeration_description *vocabulary; /* of an ENUM or a CODED column */
    const char *sql;                                  /* of a VIRTUAL */
    const struct table_column *over, *under;          /* of a QUOTIENT, a VIRTUAL */
    struct span (*bytes)(const struct model *model, const void *record); /* of a BYTES_BY, or NULL */
};

struct table_description {
    const char *name, *doc;
    const char *key; /* key columns of a LINK table, NULL for a table with ids */
    size_t in_model; /* offset of its array in struct model */
    size_t width;
    const struct table_column *columns;
    unsigned column_count;
};

struct enumeration_description {
    const char *name, *doc;
    const char *const *words, *const *docs;
    unsigned count;
};

extern const struct table_description table_descriptions[];
extern const unsigned table_count;
const struct table_description *table_named(const char *name); /* NULL where there is none */

/* Of each enumeration, records.h declares isa_description, isa_word(isa_X86_64), which is "x86-64", and
   isa_doc, the sentence that documents it. */
extern const struct enumeration_description *const enumeration_descriptions[];
extern const unsigned enumeration_count;

static inline const struct array *table_rows(const struct table_description *table, const struct model *model)
{
    return (const struct array *)((const char *)model + table->in_model);
}
/* Index of the first row in the array of a table: 0 of a table with ids is not a row. */
static inline size_t table_first_row(const struct table_description *table)
{
    return table->key ? 0 : 1;
}

/* Columns of a comma-separated list, such as the key of a LINK table. */
enum { TABLE_KEY_MAX = 8 };
unsigned table_columns_of_list(const struct table_description *table, const char *list,
                               const struct table_column *columns[TABLE_KEY_MAX]);

/* The number of an integer column in a record, whatever NULL is there. */
static inline int64_t table_integer(const struct table_column *column, const void *record)
{
    const char *field = (const char *)record + column->offset;
    switch (column->size) {
    case 1: {
        uint8_t value;
        memcpy(&value, field, sizeof value);
        return column->is_signed ? (int8_t)value : value;
    }
    case 2: {
        uint16_t value;
        memcpy(&value, field, sizeof value);
        return column->is_signed ? (int16_t)value : value;
    }
    case 4: {
        uint32_t value;
        memcpy(&value, field, sizeof value);
        return column->is_signed ? (int32_t)value : (int64_t)value;
    }
    default: {
        int64_t value;
        memcpy(&value, field, sizeof value);
        return value;
    }
    }
}
/* The figure of a REAL, MAYBE, NUMBER or OPTIONAL column or of a quotient of these in a record; NaN for NULL
   and for other columns. */
double table_number(const struct table_column *column, const void *record);
/* The text of views.sql: `create view …;` statements, each after its comment line. */
extern const char views_sql[];
#endif
