/* Rows of a query as a table of a page, which common/tables.js lets the reader sort. */
#ifndef REPORT_COMMON_HTML_TABLE_H
#define REPORT_COMMON_HTML_TABLE_H
#include "report/common/paper.h"

/* Empty columns and ids (columns named …_id) are left out; bars: the column that is drawn as a bar, or -1.
   pages: where rows have pages (struct asked), the columns function, loop and place lead to those of
   function_id, loop_id or a loop's number; NULL: no links. */
bool html_rows(FILE *out, sqlite3_stmt *statement, int bars, const char *pages, struct error *error);
/* A section with title, note, table, and how many rows are left out; nothing for a table without rows. */
bool html_print_table(FILE *out, const struct asked *asked, const struct paper_table *table, int64_t run,
                      int64_t most, struct error *error);
#endif
