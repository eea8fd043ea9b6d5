/* Rows of a query as a table of a page, which common/tables.js lets the reader sort. */
#ifndef SHOW_REPORT_COMMON_HTML_TABLE_H
#define SHOW_REPORT_COMMON_HTML_TABLE_H
#include "show/report/common/paper.h"

/* A section with title, note, table, and how many rows are left out; nothing for a table without rows. */
bool html_print_table(FILE *out, const struct asked *asked, const struct query *table, int64_t run,
                      int64_t most, struct error *error);
#endif
