/* Views of the tables denormal_…: counts, places, arrays, phases, origins, cost and what to change. They use
 * SQL, so a database and a run that has just ended look the same. */
#ifndef SHOW_REPORT_DENORMAL_DENORMAL_H
#define SHOW_REPORT_DENORMAL_DENORMAL_H
#include "base/error.h"
#include "show/report/common/style.h"
#include <sqlite3.h>
#include <stdio.h>

struct denormal_view {
    sqlite3 *connection;
    const char *path;  /* of the program or database, for the heading */
    int64_t run;       /* 0: all of them */
    size_t top;        /* rows of a table at most, in text and on the page */
    const char *pages; /* of functions and loops (struct asked); NULL: none */
    bool demangle;
    bool is_brief; /* text: without processes that had no denormals, and without tables for experts */
};

bool report_denormal_text(const struct denormal_view *view, const struct report_style *style, FILE *out,
                          struct error *error);
bool report_denormal_json(const struct denormal_view *view, FILE *out, struct error *error);
bool report_denormal_csv(const struct denormal_view *view, FILE *out, struct error *error);
bool report_denormal_html(const struct denormal_view *view, FILE *out, struct error *error);
/* The content of that page, to be put into another one, which has its styles and scripts. */
bool report_denormal_content(const struct denormal_view *view, FILE *out, struct error *error);
/* The log (denormal_log_entries) as lines for people, or as rows of JSON or CSV.  false with no error set: there
 * is none. */
bool report_denormal_log(const struct denormal_view *view, const struct report_style *style, FILE *out,
                         struct error *error);
/* The operations behind one entry of the log, those nearest to it first, as a graph; *drawn of *behind.  NULL:
   there is no such entry, and the error says which there are. */
struct drawing;
struct drawing *report_denormal_log_graph(const struct denormal_view *view, uint64_t number, size_t *drawn,
                                          size_t *behind, struct error *error);
/* A page about the log, to be put into another one (view->pages is set): entries around one, and what led to it; 0:
   the first ones. */
bool report_denormal_log_content(const struct denormal_view *view, uint64_t value, FILE *out,
                                 struct error *error);
/* Writes pictures into a folder, which is created: a map for each array and phase, a film (animated PNG) for
   each array with several phases, origin maps, and the story as a graph (story.svg, story.dot).  *count:
   files written.
 */
bool report_denormal_pictures(const struct denormal_view *view, const char *folder, size_t *count,
                              struct error *error);
#endif
