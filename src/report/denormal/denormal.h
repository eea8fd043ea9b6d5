/* Views of the tables denormal_…: what happened, where, in which arrays, since when, from where, what it
   costs and what to change.  They ask SQL, so a database and a run that has just ended are told alike. */
#ifndef REPORT_DENORMAL_DENORMAL_H
#define REPORT_DENORMAL_DENORMAL_H
#include "base/error.h"
#include "report/common/style.h"
#include <sqlite3.h>
#include <stdio.h>

struct denormal_view {
    sqlite3 *connection;
    const char *path; /* of the program or database, for the heading */
    int64_t run;      /* 0: all of them */
    size_t top;       /* rows of a table at most, in text and on the page */
    bool demangle;
    bool is_brief; /* text: without processes that met nothing, and without tables for experts */
};

bool report_denormal_text(const struct denormal_view *view, const struct report_style *style, FILE *out,
                          struct error *error);
bool report_denormal_json(const struct denormal_view *view, FILE *out, struct error *error);
bool report_denormal_csv(const struct denormal_view *view, FILE *out, struct error *error);
bool report_denormal_html(const struct denormal_view *view, FILE *out, struct error *error);
/* Pictures into a folder, which is made: a map for each array and phase, a film (animated PNG) for each array
   with several phases, origin maps, and the story as a graph (story.svg, story.dot).  *count: files written.
 */
bool report_denormal_pictures(const struct denormal_view *view, const char *folder, size_t *count,
                              struct error *error);
#endif
