/* assay diff: two builds of a program, function by function and loop by loop.

   Both are read, and their functions matched.  Only loops of functions whose code differs are analysed. */
#include "base/output.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/innermost.h"
#include "quality/quality.h"
#include "quality/weight.h"
#include "report/diff/diff.h"

#include <stdlib.h>

enum { USUAL_ROWS = 10 };

static const char *const tables[] = {"programs", "units", "files", "sections", "functions", "blocks", "loops",
                                     "calls", "registers", "edges", "loop_blocks", "paths", "path_blocks",
                                     "code", "encodings", "operands", "register_uses", "source_lines",
                                     "inlined_calls", "bundles",
                                     /* Of a sampled run. */
                                     "runs", "run_limits", "run_processes", "run_threads", "run_files",
                                     "run_functions", "run_loops", "run_paths", NULL};

struct build {
    struct model *model;
    struct store *store;
    struct innermost innermost;
    struct array loops; /* of uint32_t: of changed functions */
};

/* The builds, and a run of the old one. */
enum { RUN = compare_BUILDS, FILES };

struct work {
    struct session session;
    struct build builds[FILES];
    struct comparison comparison;
    bool has_comparison;
};

static bool read_build(struct work *work, int side, const char *path, struct error *error)
{
    struct session *session = &work->session;
    bool done = session_read(session, &path, 1, tables, error);
    work->builds[side].model = session->model;
    work->builds[side].store = session->store;
    session->model = NULL;
    session->store = NULL;
    return done;
}

/* Innermost loops of functions that have no counterpart with the same code. */
static void take_changed_loops(struct work *work, int side)
{
    struct build *build = &work->builds[side];
    for (uint32_t id = 1; id < build->model->loops.count; id++) {
        const struct loop *loop = model_loop(build->model, id);
        const struct compare_match *pair = compare_of_function(&work->comparison, side, loop->function);
        if (!loop->is_innermost || pair->is_same)
            continue;
        *(uint32_t *)array_push(&build->loops) = id;
        *(int64_t *)array_push(&build->innermost.loops) = id;
    }
}

/* Shares of the old build's loops by a run of it; NULL: no run is given. */
static bool read_run(struct work *work, const char *path, double **shares, struct error *error)
{
    struct comparison comparison;
    if (!path)
        return true;
    if (!read_build(work, RUN, path, error))
        return false;
    if (!weight_is_sampled(work->builds[RUN].model))
        return error_set(error, path, "has no samples: --run takes a database that assay run -o wrote");
    compare_begin(&comparison, work->builds[RUN].model, work->builds[compare_OLD].model);
    *shares = changes_shares_of_run(&comparison);
    compare_end(&comparison);
    return true;
}

static bool analyse(struct work *work, int side, const struct invocation *invocation, struct error *error)
{
    struct build *build = &work->builds[side];
    struct quality_options options = {.threads = session_threads(invocation), .path_limit = QUALITY_PATHS};
    work->session.model = build->model;
    bool done = innermost_take_machines(&build->innermost, error);
    work->session.model = NULL;
    if (!done)
        return false;
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        options.machines.of[isa] = build->innermost.machines[isa];
    for (uint32_t id = 1; id < build->model->programs.count && build->store; id++)
        model_program(build->model, id)->has_flow = 0;
    quality_build(build->model, &options, &build->loops);
    return true;
}

static bool read_threshold(const struct invocation *invocation, double *threshold, struct error *error)
{
    const char *text = options_value(invocation, OPTION_THRESHOLD);
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 5;
    if (text && (end == text || (*end && !(end[0] == '%' && !end[1])) || !(percent >= 0) || percent > 1000))
        return error_set(error, NULL, "--threshold takes a percentage such as 5, not '%s'", text);
    *threshold = percent / 100;
    return true;
}

/* 0: nothing got worse, 1: something did. */
static int tell(struct work *work, const struct invocation *invocation, struct error *error)
{
    struct session *session = &work->session;
    struct diff_view view = {.comparison = &work->comparison,
                             .demangle = session->style.demangle,
                             .most = options_has(invocation, OPTION_ALL_LOOPS) ? SIZE_MAX : USUAL_ROWS};
    if (options_has(invocation, OPTION_HTML) && session->style.format != report_TABLE) {
        error_set(error, NULL, "choose one of --html, --json and --csv");
        return 2;
    }
    if (!read_threshold(invocation, &view.threshold, error))
        return 2;
    for (int side = 0; side < compare_BUILDS; side++) {
        view.paths[side] = options_operand(invocation, (unsigned)side);
        if (!read_build(work, side, view.paths[side], error))
            return 2;
    }
    double *shares = NULL;
    if (!read_run(work, options_value(invocation, OPTION_RUN), &shares, error))
        return 2;
    work->has_comparison = true;
    compare_begin(&work->comparison, work->builds[0].model, work->builds[1].model);
    for (int side = 0; side < compare_BUILDS; side++) {
        take_changed_loops(work, side);
        if (!analyse(work, side, invocation, error)) {
            free(shares);
            return 2;
        }
    }
    progress_clear();
    compare_loops(&work->comparison);
    struct array changes = changes_of_loops(&work->comparison, shares);
    view.changes = &changes;
    bool done = true;
    if (options_has(invocation, OPTION_HTML))
        done = report_diff_html(&view, session->out, error);
    else if (session->style.format == report_TABLE)
        report_diff_text(&view, &session->style, session->out);
    else
        report_diff_rows(&view, &session->style, session->out);
    int code = !done ? 2 : diff_count(&view, diff_SLOWER) > 0;
    changes_free(&changes);
    free(shares);
    return code;
}

int command_diff(const struct invocation *invocation, struct error *error)
{
    struct work work = {.has_comparison = false};
    const char *const inputs[FILES] = {options_operand(invocation, 0), options_operand(invocation, 1),
                                       options_value(invocation, OPTION_RUN)};
    for (int file = 0; file < FILES; file++) {
        work.builds[file].loops = ARRAY_OF(uint32_t);
        work.builds[file].innermost =
            (struct innermost){.session = &work.session, .loops = ARRAY_OF(int64_t)};
        if (inputs[file])
            output_spare(inputs[file]);
    }
    bool has_begun = session_begin(&work.session, invocation, error);
    if (has_begun && !options_has(invocation, OPTION_HTML))
        session_page(&work.session);
    int code = has_begun ? tell(&work, invocation, error) : 2;
    if (work.has_comparison)
        compare_end(&work.comparison);
    for (int file = 0; file < FILES; file++) {
        struct build *build = &work.builds[file];
        array_free(&build->loops);
        innermost_free(&build->innermost);
        if (build->model)
            model_free(build->model);
        free(build->model);
        store_close(build->store);
    }
    return session_end(&work.session, code, error);
}
