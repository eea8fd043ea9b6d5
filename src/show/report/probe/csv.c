/* Rows for spreadsheets and scripts: csv.sql has them. */
#include "show/report/probe/parts.h"

#include "show/report/common/csv_parts.h"

bool report_probe_csv(const struct probe_view *view, FILE *out, struct error *error)
{
    struct array runs = {0};
    struct asked asked = probe_asked(view);
    bool done = probe_begin(view, false, 0, error) && probe_find_runs(view, &runs, error) &&
                report_csv_parts(&asked, probe_csv, view->run, out, error);
    probe_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
