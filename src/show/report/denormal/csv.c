/* A row for each instruction and phase: denormal_sites with names, for spreadsheets and scripts.  Columns are
 * never renamed; new ones come last. */
#include "show/report/denormal/parts.h"

#include "show/report/common/rows.h"

bool report_denormal_csv(const struct denormal_view *view, FILE *out, struct error *error)
{
    const char *sql = query_named(denormal_queries, "report_denormal_csv");
    uint64_t count = 0;
    struct array runs = {0};
    struct report_style style = {.format = report_CSV};
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    sqlite3_stmt *statement = done ? denormal_ask(view, sql, view->run, -1, error) : NULL;
    done = statement && report_csv(statement, &style, -1, out, &count, error);
    sqlite3_finalize(statement);
    denormal_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
