/* Rows of a query as a table for people, as csv (RFC 4180) or as json (an array of objects).

   A table is aligned by its first thousand rows, up to a limit; wider rows stick out, so that a result of any
   length is printed in bounded memory and one long cell affects only its own row.  Only a terminal has cells
   cut to its width.

   csv and json are for programs: every number as SQL has it, blobs in hexadecimal, NULL as an empty field or
   null.  Bytes that are not UTF-8 become U+FFFD in json, because json has no way to say them. */
#ifndef SHOW_REPORT_COMMON_ROWS_H
#define SHOW_REPORT_COMMON_ROWS_H
#include "show/report/common/style.h"
#include <sqlite3.h>

/* bars: the column (from 0) that is drawn as a bar after the row in tables, or -1.  count (may be NULL):
 * rows. */
bool report_rows(sqlite3_stmt *statement, const struct report_style *style, int bars, FILE *out,
                 uint64_t *count, struct error *error);
/* Text as a json string, with its quotes. */
void report_json_text(FILE *out, const char *text, size_t length);
/* A value of a row as json has it. */
void report_json_value(FILE *out, sqlite3_stmt *statement, int column);
/* A field of CSV, in quotes where RFC 4180 wants them. */
void report_csv_text(FILE *out, const char *text, size_t length);
/* A value of a row as a field; nothing for NULL. */
void report_csv_value(FILE *out, sqlite3_stmt *statement, int column);
/* The parts, one for each format. */
typedef bool report_rows_function(sqlite3_stmt *statement, const struct report_style *style, int bars,
                                  FILE *out, uint64_t *count, struct error *error);
report_rows_function report_table, report_csv, report_json;
/* Steps; 1 for a row, 0 at the end, -1 for an error, which is set. */
int report_step(sqlite3_stmt *statement, struct error *error);
#endif
