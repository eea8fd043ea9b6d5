/* The SQL text of tables, indexes and views. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H
#include "model/tables.h"

/* A growing text. */
struct schema_text {
    char *data;
    size_t size, capacity;
};
void schema_add(struct schema_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void schema_add_name(struct schema_text *text, const char *name); /* quoted where SQL needs it */

/* `create table …`, without a semicolon, with the documentation as comments. */
void schema_table(struct schema_text *text, const struct table_description *table);
/* The name of the index on a column. */
void schema_index_name(char name[128], const struct table_description *table,
                       const struct table_column *column);
#endif
