/* Views of the tables probe_…: what code did when it ran: calls, iterations, times, values, addresses. They
 * use SQL, so a database and a run that has just ended look the same. */
#ifndef SHOW_REPORT_PROBE_PROBE_H
#define SHOW_REPORT_PROBE_PROBE_H
#include "base/error.h"
#include "show/report/common/style.h"
#include <sqlite3.h>
#include <stdio.h>

struct probe_view {
    sqlite3 *connection;
    const char *path;  /* of the program or database, for the heading and for errors */
    int64_t run;       /* 0: all of them */
    size_t top;        /* rows of a table at most, in text and on the page; 0: all */
    const char *pages; /* of functions and loops (struct asked); NULL: none */
    bool demangle;
};

bool report_probe_text(const struct probe_view *view, const struct report_style *style, FILE *out,
                       struct error *error);
bool report_probe_json(const struct probe_view *view, FILE *out, struct error *error);
bool report_probe_csv(const struct probe_view *view, FILE *out, struct error *error);
bool report_probe_html(const struct probe_view *view, FILE *out, struct error *error);
/* The content of that page, to be put into another one, which has its styles and scripts. */
bool report_probe_content(const struct probe_view *view, FILE *out, struct error *error);
#endif
