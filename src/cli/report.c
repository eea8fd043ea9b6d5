/* assay report: what is wrong with innermost loops, and what to do about it.

   quality_build analyses the selected loops, which are then sorted by what they would save and handed to a
   view. From a database only the structure is read, with --loop and --function that of a few functions: data
   flow and everything after it are computed again, so that the report on a database equals the report on its
   program. The tables of a sampled run (assay run) are read, too: then the report on the run comes first, and
   what its advice saves is computed again. */
#include "cli/report.h"

#include "base/output.h"
#include "base/progress.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/compiler_remarks.h"
#include "cli/innermost.h"
#include "cli/shown_block.h"
#include "cli/repository.h"
#include "cli/scripts.h"
#include "model/tables.h"
#include "code/quality/quality.h"
#include "show/report/profiles/profiles.h"
#include "show/report/quality/services.h"
#include "show/report/run/run.h"
#include "store/load.h"
#include "run/sample/rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The tables that metrics, advice, data flow and their text need: all rows of these, and of
   store_function_tables those of the functions of the chosen loops. */
static const char *const outline[] = {
    "programs", "units", "files", "functions", "blocks", "loops", "calls", "registers", "types", "members",
    "dimensions", "variables",
    /* Of a sampled run. */
    "runs", "run_limits", "run_processes", "run_threads", "run_files", "run_functions", "run_loops",
    "run_positions", "run_paths", "run_calls", "run_library_calls", "run_units", "run_options", "run_trials",
    "run_points", "run_counters", "counter_values", "run_gaps", "samples", "probe_addresses",
    /* Of the compiler. */
    "remarks", NULL};

/* Loops with a section of their own in the HTML page without --top: the table has all loops, and more
   sections than anybody reads would only make the page slow. */
enum { HTML_SECTIONS = 100, HTML_RUN_ROWS = 50, TEXT_PAGES = 10 };

struct work {
    struct session session;
    struct innermost innermost;
    struct array loops; /* of uint32_t */
    struct quality_options options;
    struct quality_view view;
    size_t top;                           /* maximum number of loops to report */
    struct shown_block block;             /* the blocks printed in full */
    report_quality_service *service;      /* NULL: for people, or rows */
    const struct profile_format *profile; /* NULL: likewise */
    char *root;
};

static bool read_format(struct work *work, const struct invocation *invocation, struct error *error)
{
    static const struct {
        const char *name;
        report_quality_service *service;
    } formats[] = {{"sarif", report_quality_sarif},
                   {"annotations", report_quality_annotations},
                   {"junit", report_quality_junit}};
    static const enum option_id of_loops[] = {OPTION_FUNCTION, OPTION_LOOP,   OPTION_LINE,  OPTION_PROGRAM,
                                              OPTION_ALL,      OPTION_TOP,    OPTION_LEVEL, OPTION_PATHS,
                                              OPTION_MACHINE,  OPTION_REMARKS};
    const char *name = options_value(invocation, OPTION_FORMAT);
    if (!name && options_has(invocation, OPTION_ROOT))
        return error_set(error, NULL, "--root needs --format: only formats for services name files by it");
    if (!name)
        return true;
    if (options_has(invocation, OPTION_HTML) || options_has(invocation, OPTION_JSON) ||
        options_has(invocation, OPTION_CSV))
        return error_set(error, NULL, "choose one of --format, --html, --json and --csv");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i].name, name))
            work->service = formats[i].service;
    work->profile = profile_format_named(name);
    if (work->profile && options_has(invocation, OPTION_ROOT))
        return error_set(error, NULL, "--root goes with --format sarif, annotations or junit");
    for (size_t i = 0; i < sizeof of_loops / sizeof *of_loops; i++)
        if (work->profile && options_has(invocation, of_loops[i]))
            return error_set(error, NULL, "--format %s writes the call tree of the whole run: leave --%s out",
                             name, option_described(of_loops[i])->name);
    if (!work->service && !work->profile)
        return error_set(
            error, NULL,
            "--format takes sarif, annotations or junit, or of a run " PROFILE_FORMATS ", not '%s'", name);
    if (work->profile)
        return true;
    work->root = repository_root(invocation, error);
    return work->root;
}

static bool read_options(struct work *work, const struct invocation *invocation, struct error *error)
{
    int64_t top, paths, listed;
    bool is_html = options_has(invocation, OPTION_HTML);
    if (is_html && (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL, "choose one of --html, --json and --csv");
    if (!read_format(work, invocation, error) || !choose_level(invocation, &work->view.level, error) ||
        !options_number(invocation, OPTION_TOP, is_html ? HTML_SECTIONS : INT64_MAX, &top, error) ||
        !options_number(invocation, OPTION_PATHS, QUALITY_PATHS, &paths, error) ||
        !session_paths(invocation, &listed, error))
        return false;
    if (top < 1)
        return error_set(error, NULL, "--top takes 1 or more");
    work->top = (size_t)top;
    work->options.path_limit = (unsigned)paths;
    return true;
}

/* Whether the code of a few functions of a database is enough. The lines of a loop need all of it. */
static bool is_few(const struct invocation *invocation)
{
    return store_is_database(options_operand(invocation, 0)) && !options_has(invocation, OPTION_LINE) &&
           (options_has(invocation, OPTION_LOOP) || options_has(invocation, OPTION_FUNCTION));
}

bool report_read(struct session *session, const char *path, struct error *error)
{
    enum { MOST_TABLES = 64 };
    const char *tables[MOST_TABLES] = {NULL};
    unsigned count = 0;
    for (unsigned i = 0; outline[i]; i++)
        tables[count++] = outline[i];
    for (unsigned i = 0; store_function_tables[i]; i++)
        tables[count++] = store_function_tables[i];
    return session_read(session, &path, 1, tables, error);
}

static bool read_file(struct work *work, const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 0);
    return is_few(invocation) ? session_read_outline(&work->session, path, outline, error)
                              : report_read(&work->session, path, error);
}

bool report_forget(struct session *session, struct error *error)
{
    int64_t limit;
    for (uint32_t id = 1; id < session->model->programs.count; id++)
        model_program(session->model, id)->has_flow = 0;
    if (!session_paths(session->invocation, &limit, error))
        return false;
    loop_paths_drop(session->model, limit);
    return true;
}

/* Completes what read_file read: of a database, the code of the chosen loops' functions and of those that
   they call, if it has no more yet. Data flow and everything after it is computed. */
static bool read_chosen(struct work *work, const struct invocation *invocation, struct error *error)
{
    struct model *model = work->session.model;
    if (!store_is_database(options_operand(invocation, 0)))
        return true;
    if (is_few(invocation)) {
        autofree uint8_t *wanted = memory_get(model->functions.count),
                         *called = memory_get(model->functions.count);
        for (size_t i = 0; i < work->innermost.loops.count; i++)
            wanted[model_loop(model, (uint32_t)*ARRAY_AT(int64_t, &work->innermost.loops, i))->function] = 1;
        for (uint32_t i = 0; i < model->calls.count; i++)
            if (wanted[model_call(model, i)->caller])
                called[model_call(model, i)->callee] = 1;
        for (uint32_t id = 1; id < model->functions.count; id++)
            wanted[id] |= called[id] || report_run_has(model);
        bool good = session_read_functions(&work->session, options_operand(invocation, 0), wanted, error);
        if (!good)
            return false;
    }
    return report_forget(&work->session, error);
}

static void prepare_view(struct work *work, const struct invocation *invocation)
{
    struct quality_view *view = &work->view;
    view->model = work->session.model;
    view->path = options_operand(invocation, 0);
    view->is_named = options_has(invocation, OPTION_MACHINE);
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        view->machines[isa] = work->innermost.machines[isa];
        view->is_host[isa] = work->innermost.is_host[isa];
    }
    quality_sort(view->model, view->level, work->loops.data, work->loops.count);
    view->loops = work->loops.data;
    view->basis = quality_sort_basis(view->model);
    view->analysed_count = work->loops.count;
    view->loop_count = work->top < work->loops.count ? work->top : work->loops.count;
    view->is_chosen = work->innermost.is_chosen;
    view->is_whole = options_has(invocation, OPTION_ALL);
    bool is_short = !view->is_whole && !view->is_chosen && !options_has(invocation, OPTION_TOP);
    view->page_limit = is_short ? TEXT_PAGES : SIZE_MAX;
    view->demangle = work->session.style.demangle;
    view->trust = work->session.trust;
    view->print_block = shown_block_print;
    work->block = (struct shown_block){
        .model = view->model, .machines = &work->options.machines, .style = &work->session.style};
    view->context = &work->block;
}

static bool print_run(struct work *work, const struct invocation *invocation, struct error *error)
{
    struct session *session = &work->session;
    bool is_html = options_has(invocation, OPTION_HTML);
    struct run_view view = {.quality = work->view,
                            .run = model_last(&session->model->runs),
                            .top = options_has(invocation, OPTION_TOP) ? work->top
                                   : is_html                           ? HTML_RUN_ROWS
                                                                       : 0,
                            .database = options_operand(invocation, 0)};
    if (is_html)
        return report_run_html(&view, session->out, error);
    if (session->style.format == report_CSV)
        return report_run_csv(&view, session->out, error);
    if (session->style.format == report_JSON)
        return report_run_json(&view, session->out, error);
    return report_run_text(&view, &session->style, session->out, error);
}

static bool print(struct work *work, const struct invocation *invocation, struct error *error)
{
    struct session *session = &work->session;
    bool is_table_of_metrics = session->style.format == report_CSV && work->view.is_chosen;
    if (work->service)
        return work->service(
            &(struct quality_services){.view = &work->view, .root = work->root, .version = ASSAY_VERSION},
            session->out, error);
    if (work->profile && !report_run_has(session->model))
        return error_set(
            error, options_operand(invocation, 0),
            "has no run: --format %s takes a database of assay run (assay run -o run.db -- PROGRAM)",
            work->profile->name);
    if (work->profile && !work->profile->is_text && !session->output && isatty(STDOUT_FILENO))
        return error_set(error, NULL, "--format %s is nothing to read: name a file with --output",
                         work->profile->name);
    if (work->profile)
        return report_profile(work->profile, session->model, model_last(&session->model->runs),
                              session->style.demangle, ASSAY_VERSION, session->out, error);
    if (report_run_has(session->model) && !is_table_of_metrics)
        return print_run(work, invocation, error);
    if (options_has(invocation, OPTION_HTML))
        return report_quality_html(&work->view, session->out, error);
    if (session->style.format == report_CSV)
        return report_quality_csv(&work->view, session->out, error);
    if (session->style.format == report_JSON)
        return report_quality_json(&work->view, session->out, error);
    return report_quality_text(&work->view, &session->style, session->out, error);
}

static bool has_selection(const struct invocation *invocation)
{
    return options_has(invocation, OPTION_FUNCTION) || options_has(invocation, OPTION_LINE) ||
           options_has(invocation, OPTION_LOOP) || options_has(invocation, OPTION_PROGRAM);
}

/* The text and the table of a run show nothing of loops without samples: they need not be analysed. */
static bool leaves_cold_loops(const struct work *work, const struct invocation *invocation)
{
    return report_run_has(work->session.model) && !has_selection(invocation) &&
           !options_has(invocation, OPTION_HTML) && !work->service &&
           work->session.style.format != report_JSON;
}

static void take_loops(struct work *work, const struct invocation *invocation)
{
    const struct model *model = work->session.model;
    autofree bool *is_hot = memory_get(model->loops.count + 1);
    for (uint32_t i = 0; i < model->run_loops.count; i++)
        is_hot[model_run_loop(model, i)->loop] = true;
    bool takes_all = !leaves_cold_loops(work, invocation);
    bool leaves_libraries = report_run_has(model) && !has_selection(invocation); /* nobody changes them */
    for (size_t i = 0; i < work->innermost.loops.count; i++) {
        uint32_t loop = (uint32_t)*ARRAY_AT(int64_t, &work->innermost.loops, i);
        if (leaves_libraries && sample_is_library(model, model_loop(model, loop)->function))
            continue;
        if (takes_all || is_hot[loop])
            *(uint32_t *)array_push(&work->loops) = loop;
    }
}

static int report(struct work *work, const struct invocation *invocation, struct error *error)
{
    if (!read_options(work, invocation, error) || !read_file(work, invocation, error))
        return 2;
    int code = innermost_choose(&work->innermost, false, error);
    bool is_run = report_run_has(work->session.model);
    if (code == 1 && is_run && !has_selection(invocation))
        *error = (struct error){0}; /* a run without loops has a report, too */
    else if (code)
        return code;
    if (!read_chosen(work, invocation, error) || !innermost_take_machines(&work->innermost, error))
        return 2;
    take_loops(work, invocation);
    work->options.threads = session_threads(invocation);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        work->options.machines.of[isa] = work->innermost.machines[isa];
    quality_build(work->session.model, &work->options, &work->loops);
    scripts_judge(&work->session, &work->options.machines);
    if (!compiler_remarks_take(&work->session, &work->loops, error))
        return 2;
    if (is_run) {
        sample_savings(work->session.model);
        sample_library_cures(work->session.model);
    }
    progress_clear();
    prepare_view(work, invocation);
    return print(work, invocation, error) ? 0 : 2;
}

int command_report(const struct invocation *invocation, struct error *error)
{
    struct work work = {.loops = ARRAY_OF(uint32_t)};
    work.innermost = (struct innermost){.session = &work.session, .loops = ARRAY_OF(int64_t)};
    output_spare(options_operand(invocation, 0));
    bool has_begun = session_begin(&work.session, invocation, error);
    if (has_begun && !options_has(invocation, OPTION_HTML) && !options_has(invocation, OPTION_FORMAT))
        session_page(&work.session);
    int code = has_begun ? report(&work, invocation, error) : 2;
    shown_block_end(&work.block);
    free(work.root);
    array_free(&work.loops);
    innermost_free(&work.innermost);
    return session_end(&work.session, code, error);
}
