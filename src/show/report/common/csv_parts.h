/* Rows of several queries in one CSV. */
#ifndef SHOW_REPORT_COMMON_CSV_PARTS_H
#define SHOW_REPORT_COMMON_CSV_PARTS_H
#include "show/report/common/ask.h"
#include "base/queries.h"
#include <stdio.h>

/* The first query names the columns, in their order, and has no rows.  Each of the others has some of them,
   in any order; the others are empty in its rows. */
bool report_csv_parts(const struct asked *asked, const struct query *queries, int64_t run, FILE *out,
                      struct error *error);
#endif
