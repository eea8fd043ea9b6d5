/* Descriptions of tables and vocabularies, made by reading the .def files several times. */
#include "model/tables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ENUMERATION(name, doc) static const char *const name##_words[] = {
#define VALUE(name, symbol, word, doc) word,
#define END_ENUMERATION(name)                                                                                \
    }                                                                                                        \
    ;
#include "model/enums.def"
#undef ENUMERATION
#undef VALUE
#undef END_ENUMERATION

#define ENUMERATION(name, doc) static const char *const name##_docs[] = {
#define VALUE(name, symbol, word, doc) doc,
#define END_ENUMERATION(name)                                                                                \
    }                                                                                                        \
    ;
#include "model/enums.def"
#undef ENUMERATION
#undef VALUE
#undef END_ENUMERATION

static const struct enumeration_description enumerations[] = {
#define ENUMERATION(name, doc) {#name, doc, name##_words, name##_docs, name##_COUNT},
#define VALUE(name, symbol, word, doc)
#define END_ENUMERATION(name)
#include "model/enums.def"
#undef ENUMERATION
#undef VALUE
#undef END_ENUMERATION
};
const unsigned enumeration_count = sizeof enumerations / sizeof enumerations[0];

#define IS_SIGNED(type) ((type)-1 < (type)1)

/* Each table opens a scope of its own name: inside, `record` is its struct. */
#define register register_
#define TABLE(table, record, doc)                                                                            \
    typedef struct record record_of_##table;                                                                 \
    static struct table_column columns_of_##table[] = {
#define LINK(table, record, key, doc) TABLE(table, record, doc)
#define THE_COLUMN(column_name, kind) .name = column_name, .type = kind
/* The offset is filled in below: it needs the record's name, which columns do not have here. */
#define REF(column, table, text)                                                                             \
    {THE_COLUMN(#column, COLUMN_REF), .doc = text, .refers_to = #table, .size = 4},
#define TEXT(column, text) {THE_COLUMN(#column, COLUMN_TEXT), .doc = text, .size = 4},
#define NUMBER(column, ctype, text)                                                                          \
    {THE_COLUMN(#column, COLUMN_NUMBER), .doc = text, .size = sizeof(ctype), .is_signed = IS_SIGNED(ctype)},
#define OPTIONAL(column, ctype, text)                                                                        \
    {THE_COLUMN(#column, COLUMN_OPTIONAL), .doc = text, .size = sizeof(ctype), .is_signed = IS_SIGNED(ctype)},
#define MAYBE(column, text) {THE_COLUMN(#column, COLUMN_MAYBE), .doc = text, .size = 4, .is_signed = true},
#define REAL(column, text) {THE_COLUMN(#column, COLUMN_REAL), .doc = text, .size = 8},
#define ADDRESS(column, text) {THE_COLUMN(#column, COLUMN_ADDRESS), .doc = text, .size = 8},
#define FLAG(column, text) {THE_COLUMN(#column, COLUMN_FLAG), .doc = text, .size = 1},
#define ENUM(column, enumeration, text)                                                                      \
    {THE_COLUMN(#column, COLUMN_ENUM), .doc = text, .size = 1, .words = enumeration##_words,                 \
     .word_count = enumeration##_COUNT},
#define CODED(column, enumeration, text)                                                                     \
    {THE_COLUMN(#column "_code", COLUMN_NUMBER),                                                             \
     .doc = "number of " #column ", which is stored in its place", .size = 1, .words = enumeration##_words,  \
     .word_count = enumeration##_COUNT},                                                                     \
        {THE_COLUMN(#column, COLUMN_VIRTUAL), .doc = text, .words = enumeration##_words,                     \
         .word_count = enumeration##_COUNT},
#define BYTES(column, text) {THE_COLUMN(#column, COLUMN_BYTES), .doc = text},
#define BYTES_BY(column, function, text) {THE_COLUMN(#column, COLUMN_BYTES), .doc = text, .bytes = function},
#define MEMORY(column, ctype, text)
#define VIRTUAL(column, expression, text)                                                                    \
    {THE_COLUMN(#column, COLUMN_VIRTUAL), .doc = text, .sql = expression},
#define SORTED(column)
#define INDEX(column)
#define SEARCHED(column)
#define END_TABLE(table)                                                                                     \
    }                                                                                                        \
    ;
#include "model/tables.def"
#include "model/undef_tables.h"

static struct table_column *column_named(struct table_column *columns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(columns[i].name, name))
            return &columns[i];
    return NULL;
}

/* A word between the quotes of SQL; to be freed. */
static char *sql_quoted(const char *word)
{
    char *quoted = memory_get(2 * strlen(word) + 3), *at = quoted;
    *at++ = '\'';
    for (; *word; word++) {
        *at++ = *word;
        if (*word == '\'')
            *at++ = '\'';
    }
    *at = '\'';
    return quoted;
}

/* SQL that gives the word of a coded column.  Made once for each such column and kept. */
static const char *sql_of_words(const char *column, const char *const *words, unsigned count)
{
    char *sql = memory_format("case %s_code", column);
    for (unsigned i = 0; i < count; i++) {
        char *word = sql_quoted(words[i]);
        char *longer = memory_format("%s when %u then %s", sql, i, word);
        free(word);
        free(sql);
        sql = longer;
    }
    char *whole = memory_format("%s end", sql);
    free(sql);
    return whole;
}

/* Offsets, sorted and indexed marks, once, before main: the table of columns is constant afterwards. */
__attribute__((constructor)) static void complete_columns(void)
{
#define COUNT_OF(table) (sizeof columns_of_##table / sizeof columns_of_##table[0])
#define TABLE(table, record, doc)                                                                            \
    {                                                                                                        \
        typedef struct record this_record;                                                                   \
        struct table_column *columns = columns_of_##table;                                                   \
        size_t count = COUNT_OF(table);                                                                      \
        (void)count;
#define LINK(table, record, key, doc) TABLE(table, record, doc)
#define SET_OFFSET(column, column_name)                                                                      \
    column_named(columns, count, column_name)->offset = offsetof(this_record, column);
#define REF(column, table, text) SET_OFFSET(column, #column)
#define TEXT(column, text) SET_OFFSET(column, #column)
#define NUMBER(column, ctype, text) SET_OFFSET(column, #column)
#define OPTIONAL(column, ctype, text) SET_OFFSET(column, #column)
#define MAYBE(column, text) SET_OFFSET(column, #column)
#define REAL(column, text) SET_OFFSET(column, #column)
#define ADDRESS(column, text) SET_OFFSET(column, #column)
#define FLAG(column, text) SET_OFFSET(column, #column)
#define ENUM(column, enumeration, text) SET_OFFSET(column, #column)
#define CODED(column, enumeration, text)                                                                     \
    column_named(columns, count, #column "_code")->offset = offsetof(this_record, column);                   \
    column_named(columns, count, #column)->sql =                                                             \
        sql_of_words(#column, enumeration##_words, enumeration##_COUNT);
#define BYTES(column, text) SET_OFFSET(column, #column)
#define BYTES_BY(column, function, text)
#define MEMORY(column, ctype, text)
#define VIRTUAL(column, expression, text)
#define SORTED(column) column_named(columns, count, #column)->is_sorted = true;
#define INDEX(column) column_named(columns, count, #column)->is_indexed = true;
#define SEARCHED(column) column_named(columns, count, #column)->is_searched = true;
#define END_TABLE(table) }
#include "model/tables.def"
#include "model/undef_tables.h"
}

static const struct table_description tables[] = {
#define TABLE(table, record, text)                                                                           \
    {.name = #table,                                                                                         \
     .doc = text,                                                                                            \
     .in_model = offsetof(struct model, table),                                                              \
     .width = sizeof(struct record),                                                                         \
     .columns = columns_of_##table,                                                                          \
     .column_count = COUNT_OF(table)},
#define LINK(table, record, keys, text)                                                                      \
    {.name = #table,                                                                                         \
     .doc = text,                                                                                            \
     .key = keys,                                                                                            \
     .in_model = offsetof(struct model, table),                                                              \
     .width = sizeof(struct record),                                                                         \
     .columns = columns_of_##table,                                                                          \
     .column_count = COUNT_OF(table)},
#include "model/no_columns.h"
#include "model/tables.def"
#include "model/undef_tables.h"
};
const unsigned table_count = sizeof tables / sizeof tables[0];
#undef register

const struct table_description *table_described(unsigned number)
{
    return number < table_count ? &tables[number] : NULL;
}

const struct table_description *table_named(const char *name)
{
    for (unsigned i = 0; i < table_count; i++)
        if (!strcmp(tables[i].name, name))
            return &tables[i];
    return NULL;
}

const struct enumeration_description *enumeration_described(unsigned number)
{
    return number < enumeration_count ? &enumerations[number] : NULL;
}

const char *enumeration_doc(const char *enumeration, unsigned value)
{
    for (unsigned i = 0; i < enumeration_count; i++)
        if (!strcmp(enumerations[i].name, enumeration))
            return value < enumerations[i].count ? enumerations[i].docs[value] : "?";
    return "?";
}

const char *enumeration_word(const char *enumeration, unsigned value)
{
    for (unsigned i = 0; i < enumeration_count; i++)
        if (!strcmp(enumerations[i].name, enumeration))
            return value < enumerations[i].count ? enumerations[i].words[value] : "?";
    return "?";
}
