/* Rows of a query as a table of a page, which common/tables.js lets the reader sort. */
#ifndef REPORT_COMMON_HTML_TABLE_H
#define REPORT_COMMON_HTML_TABLE_H
#include "report/common/paper.h"

/* A section with title, note, table, and how many rows are left out; nothing for a table without rows. */
bool html_print_table(FILE *out, const struct asked *asked, const struct paper_table *table, int64_t run,
                      int64_t most, struct error *error);
#endif
