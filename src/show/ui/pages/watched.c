/* What happened in runs that were watched: denormal numbers and probes, as their own reports show it.

   Both read the file that the user named, by a connection of their own: a copy with the tables of the report
   has the same ids, but no maps, and the SQL functions of these reports must not outlive them. */
#include "show/ui/pages/pages.h"

#include "show/report/common/html.h"
#include "show/report/denormal/denormal.h"
#include "show/report/probe/probe.h"
#include "store/store.h"
#include "show/ui/budget.h"
#include "show/ui/cells.h"
#include "show/ui/pages/queries.h"
#include "show/ui/queries.h"

#include <stdlib.h>

enum { MOST_ROWS = 60 };

static struct store *open_named(const struct ui_request *request, struct error *error)
{
    const struct ui_subject *subject = request->subject;
    struct store *store =
        store_open_file(store_is_database(subject->path) ? subject->path : subject->database, error);
    if (store)
        ui_budget_watch(request->budget, store_connection(store));
    return store;
}

bool page_denormals(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"run.css", "denormal-page.css", "tables.js", "denormal-page.js",
                                        NULL};
    if (!ui_ask_number(request, query_named(ui_queries, "has_denormals")))
        return ui_missing(answer, error,
                          "%.200s has no run with denormals; `assay denormals trace -o FILE.db -- ./prog` "
                          "records one.",
                          request->subject->name);
    struct store *store = open_named(request, error);
    if (!store)
        return false;
    autofree char *pages = memory_format("/%u/", request->subject->number);
    struct denormal_view view = {.connection = store_connection(store),
                                 .path = request->subject->path,
                                 .top = MOST_ROWS,
                                 .pages = pages,
                                 .demangle = request->options->demangle};
    ui_begin_page(request, answer, "Denormals", "denormals", files);
    bool done = report_denormal_content(&view, answer->out, error);
    ui_end_page(request, answer);
    store_close(store);
    return done;
}

bool page_denormal_log(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"run.css", "denormal-page.css", NULL};
    if (!ui_ask_number(request, query_named(page_queries, "has_denormal_log")))
        return ui_missing(
            answer, error,
            "%.200s has no log of denormals; `assay denormals trace --log FILE -o FILE.db -- ./prog` "
            "keeps one.",
            request->subject->name);
    struct store *store = open_named(request, error);
    if (!store)
        return false;
    autofree char *pages = memory_format("/%u/", request->subject->number);
    struct denormal_view view = {.connection = store_connection(store),
                                 .path = request->subject->path,
                                 .pages = pages,
                                 .demangle = request->options->demangle};
    int64_t value = ui_number(request, "value", 0);
    ui_begin_page(request, answer, "Log of denormals", "denormals", files);
    bool done = report_denormal_log_content(&view, value > 0 ? (uint64_t)value : 0, answer->out, error);
    if (!done && value > 0)
        answer->status = 404; /* the log has no such entry */
    ui_end_page(request, answer);
    store_close(store);
    return done;
}

bool page_probes(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"run.css", "probe-page.css", "histogram.css", "tables.js", NULL};
    if (!ui_ask_number(request, query_named(ui_queries, "has_probes")))
        return ui_missing(answer, error,
                          "%.200s has no run with probes; `assay probe -o FILE.db -- ./prog` records one.",
                          request->subject->name);
    struct store *store = open_named(request, error);
    if (!store)
        return false;
    autofree char *pages = memory_format("/%u/", request->subject->number);
    struct probe_view view = {.connection = store_connection(store),
                              .path = request->subject->path,
                              .top = MOST_ROWS,
                              .pages = pages,
                              .demangle = request->options->demangle};
    ui_begin_page(request, answer, "Probes", "probes", files);
    bool done = report_probe_content(&view, answer->out, error);
    ui_end_page(request, answer);
    store_close(store);
    return done;
}

/* The plan itself is kept by the browser (plan.js). */
bool page_plan(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"plan.css", "plan.js", NULL};
    sqlite3_stmt *program = ui_ask(request, query_named(page_queries, "first_program"), error);
    if (!program)
        return false;
    bool is_there = sqlite3_step(program) == SQLITE_ROW;
    ui_begin_page(request, answer, "Plan of probes", "plan", files);
    html_format(answer->out,
                "<h1 class=\"words\">Plan of probes</h1>\n<p class=\"lead\">Choose functions and loops on "
                "their pages, then run the command yourself: this page starts nothing.</p>\n<p "
                "id=\"plan-state\" role=\"status\" class=\"note\"></p>\n<section id=\"plan\" "
                "aria-label=\"Plan\" data-program=\"%s\" data-build-id=\"%s\"></section>\n",
                is_there ? ui_column(program, 0) : "", is_there ? ui_column(program, 1) : "");
    sqlite3_finalize(program);
    ui_end_page(request, answer);
    return true;
}
