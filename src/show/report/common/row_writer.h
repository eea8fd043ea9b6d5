/* Values for programs, one after the other: cells of a csv row, members of a json object, or the names of
   the cells. */
#ifndef SHOW_REPORT_COMMON_ROW_WRITER_H
#define SHOW_REPORT_COMMON_ROW_WRITER_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct row_writer {
    FILE *out;
    bool is_json;
    bool is_head;  /* csv: only names are written */
    bool is_first; /* no comma before the next value */
    bool is_tame;  /* csv for logs: control characters of texts, ends of lines among them, become U+FFFD */
};

/* The comma before a value and its name; the value itself follows, by the caller, in json alone. */
void row_begin(struct row_writer *writer, const char *name);
/* NULL writes null, or an empty cell. */
void row_text(struct row_writer *writer, const char *name, const char *text);
/* With as many digits as needed; null or an empty cell if not finite. */
void row_number(struct row_writer *writer, const char *name, double number);
/* A figure of a model: with the six digits that it carries at most. */
void row_figure(struct row_writer *writer, const char *name, double number);
void row_integer(struct row_writer *writer, const char *name, int64_t number);
/* 0 writes null, or an empty cell. */
void row_id(struct row_writer *writer, const char *name, uint64_t id);
/* NO_ADDRESS writes null, or an empty cell. */
void row_address(struct row_writer *writer, const char *name, uint64_t address);
/* true and false, 1 and 0. */
void row_flag(struct row_writer *writer, const char *name, bool flag);
/* Columns of a row of the model, by their names: "command processor host".  Where NULL is, tables.def says.
   In json alone. */
struct model;
void row_columns(struct row_writer *writer, const struct model *model, const char *table, const void *record,
                 const char *names);

/* In json, an object: alone, or as the next value.  Its values are written to what is returned. */
struct row_writer row_begin_object(FILE *out);
struct row_writer row_begin_object_named(struct row_writer *writer, const char *name);
void row_end_object(const struct row_writer *object);
/* A list as the next value; its items are objects, each after `before`, such as "\n  ". */
struct row_list {
    FILE *out;
    const char *before;
    bool is_begun;
};
struct row_list row_begin_list(struct row_writer *writer, const char *name, const char *before);
/* The comma before the next item, which the caller writes. */
void row_separate(struct row_list *list);
struct row_writer row_begin_item(struct row_list *list);
void row_end_list(const struct row_list *list);

/* Rows of one kind, each written to `row`: in json a list of objects, in csv a head and a line each. */
struct row_table {
    struct row_writer row;
    bool is_wide; /* in json the brackets stand on lines of their own */
    bool is_begun, has_rows;
};
struct row_table row_begin_table(FILE *out, bool is_json, bool is_wide);
/* Whether there is a head, which the caller writes as a row without values. */
bool row_begin_head(struct row_table *table);
void row_begin_row(struct row_table *table);
void row_end_table(const struct row_table *table);

/* A number alone, as row_number writes it. */
void row_print_number(double number, FILE *out);
/* A word as the name of a column: "µop cache" is uop_cache. */
void row_name(const char *word, char name[64]);
#endif
