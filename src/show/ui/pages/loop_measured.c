/* What a sampled run and runs with probes measured of a loop, where the database has them: the sentence of
   the report on a run, and for each run with probes its counts, times and distributions. */
#include "show/ui/pages/loop.h"

#include "show/report/common/html.h"
#include "show/report/probe/histogram.h"
#include "show/report/run/run.h"
#include "run/sample/rows.h"
#include "show/ui/pages/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_sampled(const struct loop_page *page)
{
    if (!report_run_has(page->report.model))
        return;
    sample_savings(page->visit->model);
    struct run_view view = {.quality = *page->report.view, .run = model_last(&page->report.model->runs)};
    report_run_html_loop(&view, page->loop, page->out);
}

static void print_fact(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        fprintf(out, "<div><dt>%s</dt><dd>%.*f</dd></div>\n", name,
                value < 1000 && value != floor(value) ? 2 : 0, value);
}

static void print_pictures(const struct loop_page *page, int64_t run)
{
    const struct distribution all[] = {
        {"iterations", page->loop, "iterations of an entry", false},
        {"loop time", page->loop, "time of an entry", true},
    };
    struct asked asked = {page->request->connection, page->request->subject->path};
    fputs("<div class=\"pictures\">\n", page->out);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct error ignored = {0};
        bool is_shown;
        histogram_print(page->out, &asked, run, &all[i], "This loop", strlen("This loop"), &is_shown,
                        &ignored);
    }
    fputs("</div>\n", page->out);
}

static void print_probed(const struct loop_page *page, sqlite3_stmt *row)
{
    static const char *const names[] = {"entries",         "iterations",           "iterations, median",
                                        "most iterations", "cycles per iteration", "µs in all"};
    autofree char *command = report_column_text(row, 1);
    html_format(page->out, "<h4>Measured with probes: <code>%s</code></h4>\n<dl class=\"keys\">\n",
                command ? command : "a run");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        print_fact(page->out, names[i], report_column_real(row, 2 + (int)i));
    fputs("</dl>\n", page->out);
    print_pictures(page, sqlite3_column_int64(row, 0));
}

void loop_page_measured(struct loop_page *page)
{
    enum { MOST_RUNS = 8 };
    const char *query = query_named(page_queries, "loop_page_measured");
    sqlite3_stmt *rows = NULL;
    bool is_begun = false;
    print_sampled(page);
    if (sqlite3_prepare_v2(page->request->connection, query, -1, &rows, NULL) != SQLITE_OK)
        return;
    sqlite3_bind_int64(rows, 1, page->loop);
    sqlite3_bind_int64(rows, 2, MOST_RUNS);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        fputs(is_begun ? "" : "<section class=\"probed\"><h3>Measured</h3>\n", page->out);
        is_begun = true;
        print_probed(page, rows);
    }
    fputs(is_begun ? "</section>\n" : "", page->out);
    sqlite3_finalize(rows);
}
