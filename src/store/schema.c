/* The SQL schema, generated from the table descriptions.

   The documentation of tables and columns goes into the statements as comments: SQLite keeps the text of a
   statement, so that `.schema` in any client explains the database.  `references` documents what joins with
   what; nothing enforces it. Indexes leave out NULL, which no comparison finds. */
#include "store/schema.h"

#include "store/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void schema_add(struct schema_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        length = 0;
    if (text->size + (size_t)length + 1 > text->capacity) {
        size_t wanted = (text->size + (size_t)length + 1) * 2;
        text->data = memory_grow(text->data, text->capacity, wanted);
        text->capacity = wanted;
    }
    vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
    va_end(again);
    text->size += (size_t)length;
}

void schema_add_name(struct schema_text *text, const char *name)
{
    if (sqlite3_keyword_check(name, (int)strlen(name)))
        schema_add(text, "\"%s\"", name);
    else
        schema_add(text, "%s", name);
}

/* " integer", " text", " blob", or nothing for a computed column. */
static const char *schema_type(const struct table_column *column)
{
    switch (column->type) {
    case COLUMN_TEXT:
    case COLUMN_ENUM:
        return " text";
    case COLUMN_BYTES:
        return " blob";
    case COLUMN_REAL:
        return " real";
    case COLUMN_VIRTUAL:
        return column->vocabulary ? " text" : "";
    default:
        return " integer";
    }
}

/* Whether a column reads as 0 if a record is too short for it; others read as NULL. */
static bool schema_is_zero_by_default(const struct table_column *column)
{
    return column->type == COLUMN_NUMBER || column->type == COLUMN_FLAG;
}

static void add_column(struct schema_text *text, const struct table_column *column, bool is_last)
{
    schema_add(text, "    ");
    schema_add_name(text, column->name);
    schema_add(text, "%s", schema_type(column));
    if (column->type == COLUMN_REF)
        schema_add(text, " references %s", column->refers_to->name);
    if (schema_is_zero_by_default(column))
        schema_add(text, " default 0");
    if (column->type == COLUMN_VIRTUAL)
        schema_add(text, " generated always as (%s) virtual", column->sql);
    schema_add(text, "%s -- %s", is_last ? "" : ",", column->doc);
    if (column->vocabulary && column->type != COLUMN_NUMBER) {
        schema_add(text, ":");
        for (unsigned i = 0; i < column->vocabulary->count; i++)
            schema_add(text, "%s %s", i ? "," : "", column->vocabulary->words[i]);
    }
    schema_add(text, "\n");
}

void schema_table(struct schema_text *text, const struct table_description *table)
{
    schema_add(text, "create table %s ( -- %s\n", table->name, table->doc);
    if (!table->key)
        schema_add(text, "    id integer primary key,\n");
    for (unsigned i = 0; i < table->column_count; i++)
        add_column(text, &table->columns[i], !table->key && i + 1 == table->column_count);
    if (table->key)
        schema_add(text, "    primary key (%s)\n) without rowid", table->key);
    else
        schema_add(text, ")");
}

void schema_index_name(char name[128], const struct table_description *table,
                       const struct table_column *column)
{
    snprintf(name, 128, "%s_by_%s", table->name, column->name);
}

char *store_schema(void)
{
    struct schema_text text = {0};
    for (unsigned i = 0; i < table_count; i++) {
        schema_table(&text, &table_descriptions[i]);
        schema_add(&text, ";\n\n");
    }
    for (unsigned i = 0; i < table_count; i++) {
        const struct table_description *table = &table_descriptions[i];
        for (unsigned c = 0; c < table->column_count; c++) {
            if (!table->columns[c].is_indexed)
                continue;
            char name[128];
            schema_index_name(name, table, &table->columns[c]);
            schema_add(&text, "create index %s on %s (", name, table->name);
            schema_add_name(&text, table->columns[c].name);
            schema_add(&text, ") where ");
            schema_add_name(&text, table->columns[c].name);
            schema_add(&text, " is not null;\n");
        }
    }
    schema_add(&text, "\n%s", views_sql);
    return text.data;
}
