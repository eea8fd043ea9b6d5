/* The MACS table of a loop, and its four gaps in words. */
#ifndef SHOW_REPORT_BOUNDS_H
#define SHOW_REPORT_BOUNDS_H
#include "code/cost/macs/macs.h"
#include "show/report/common/style.h"
#include <sqlite3.h>

struct bounds_view {
    const struct model *model;
    const struct macs *macs;
    const char *no_source; /* why there is no MA, in one line; NULL where there is one */
};

/* The table and the gaps of one loop. */
void report_bounds(const struct bounds_view *view, const struct report_style *style, FILE *out);
/* The words of the gap between a level and the one before it; to be freed, NULL where there is none. */
char *bounds_gap(const struct bounds_view *view, enum bound_level level);
/* A figure as the table shows it: cut to two decimals, never rounded; "n/a" for NaN. */
void bounds_figure(double figure, char text[32]);
/* Adds the SQL function gap(loop, level): the words, for what is printed through SQL.  The views are in
   order of loops and must outlive the connection. */
bool bounds_register(sqlite3 *connection, const struct bounds_view *views, size_t count, struct error *error);
#endif
