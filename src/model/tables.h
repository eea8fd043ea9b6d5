/* The tables described as data, for code that works on any table: the SQL schema, the virtual tables, the
   reference page.  Made from tables.def and enums.def. */
#ifndef MODEL_TABLES_H
#define MODEL_TABLES_H
#include "model/model.h"

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
    enum column_type type;
    uint8_t size; /* bytes of an integer in the record */
    bool is_signed;
    bool is_sorted;           /* rows are in non-decreasing order of it */
    bool is_indexed;          /* has an index on disk */
    bool is_searched;         /* is searched in memory */
    size_t offset;            /* in the record */
    const char *refers_to;    /* table of a REF */
    const char *const *words; /* of an ENUM */
    unsigned word_count;
    const char *sql;                                                     /* of a VIRTUAL */
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

extern const unsigned table_count, enumeration_count;
const struct table_description *table_described(unsigned number); /* 0 … table_count-1 */
const struct table_description *table_named(const char *name);    /* NULL where there is none */
const struct enumeration_description *enumeration_described(unsigned number);
/* The word of a value of an enumeration, such as enumeration_word("class", class_LOAD). */
const char *enumeration_word(const char *enumeration, unsigned value);
/* The sentence that documents it. */
const char *enumeration_doc(const char *enumeration, unsigned value);

static inline const struct array *table_rows(const struct table_description *table, const struct model *model)
{
    return (const struct array *)((const char *)model + table->in_model);
}
/* The text of views.sql: `create view …;` statements, each after its comment line. */
extern const char views_sql[];
#endif
