/* assay bounds: the MACS table of innermost loops.

   The output is made from the rows of bounds and the details kept with them. */
#include "base/built.h"
#include "base/output.h"
#include "cli/bounds_sources.h"
#include "cli/commands.h"
#include "cli/innermost.h"
#include "cli/queries.h"
#include "show/report/bounds.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <math.h>
#include <stdlib.h>

/* The tables that bounds and their explanations need. */
static const char *const needed[] = {"programs",
                                     "units",
                                     "files",
                                     "functions",
                                     "blocks",
                                     "loops",
                                     "loop_blocks",
                                     "edges",
                                     "code",
                                     "encodings",
                                     "operands",
                                     "register_uses",
                                     "registers",
                                     "source_lines",
                                     "inlined_calls",
                                     "bundles",
                                     "pipelined_loops",
                                     "listing_instructions",
                                     "compiler_blocks",
                                     "run_loops",
                                     "probe_loops",
                                     NULL};

struct work {
    struct session session;
    const struct invocation *invocation;
    struct innermost innermost;
    struct bounds_sources sources;
    struct macs *macs;
    double *measured; /* in runs */
    struct bounds_view *views;
    size_t count;
};

static bool take_measured(const struct work *work, double *measured, struct error *error)
{
    const char *text = options_value(work->invocation, OPTION_MEASURED);
    char *end = NULL;
    *measured = text ? strtod(text, &end) : NAN;
    if (!text)
        return true;
    if (end == text || *end || !(*measured > 0) || !isfinite(*measured))
        return error_set(error, NULL, "--measured takes cycles per iteration, not '%s'", text);
    if (work->innermost.loops.count > 1)
        return error_set(error, NULL,
                         "--measured applies to one loop, but %zu are selected; choose one with --loop",
                         work->innermost.loops.count);
    return true;
}

static bool check_bundles(const struct work *work, struct error *error)
{
    if (!options_has(work->invocation, OPTION_SINGLE_BUNDLES))
        return true;
    for (size_t i = 0; i < work->innermost.loops.count; i++)
        if (innermost_isa(work->session.model, (uint32_t)*ARRAY_AT(int64_t, &work->innermost.loops, i)) ==
            isa_IA64)
            return true;
    return error_set(error, NULL, "--single-bundles applies to IA-64 code only");
}

static bool compute(struct work *work, struct error *error)
{
    struct model *model = work->session.model;
    struct macs_options options = {.proves = features[feature_PROGRAMS].is_built,
                                   .single_bundles = options_has(work->invocation, OPTION_SINGLE_BUNDLES)};
    if (!check_bundles(work, error) || !innermost_take_machines(&work->innermost, error) ||
        !take_measured(work, &options.measured, error))
        return false;
    bounds_sources_read(&work->sources, model, &work->innermost.loops, work->invocation, work->session.trust);
    options.source_of = work->sources.source_of;
    options.in_runs = work->measured = macs_measured(model);
    model->bounds.count = 0;
    work->macs = memory_get(work->innermost.loops.count * sizeof *work->macs);
    work->views = memory_get(work->innermost.loops.count * sizeof *work->views);
    struct macs_work *costs[isa_COUNT] = {NULL};
    bool good = true;
    for (size_t i = 0; i < work->innermost.loops.count && good; i++) {
        uint32_t loop = (uint32_t)*ARRAY_AT(int64_t, &work->innermost.loops, i);
        enum isa isa = innermost_isa(model, loop);
        struct macs *macs = &work->macs[i];
        if (!costs[isa])
            costs[isa] = cost_macs_begin(model, work->innermost.machines[isa], &options);
        good = cost_macs_loop(costs[isa], loop, macs, error);
        if (!good)
            break;
        cost_macs_add(model, macs);
        work->views[i] = (struct bounds_view){.model = model, .macs = macs};
        if (!macs->is_known[bound_level_MA])
            work->views[i].no_source = bounds_sources_lack(&work->sources, model, loop);
        work->count++;
    }
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        cost_macs_end(costs[isa]);
    return good;
}

enum { MANY_LOOPS = 30 };

static void print_for_people(struct work *work)
{
    struct session *session = &work->session;
    innermost_print_machines(&work->innermost);
    for (size_t i = 0; i < work->count; i++) {
        putc('\n', session->out);
        report_bounds(&work->views[i], &session->style, session->out);
    }
    if (work->count > MANY_LOOPS)
        session_say(
            session,
            "%zu loops; select some with --function, --line or --loop, or use --csv for a row per bound",
            work->count);
}

static bool print_for_programs(struct work *work, struct error *error)
{
    struct session *session = &work->session;
    sqlite3_stmt *rows = NULL;
    bool good = session_connect(session, error) &&
                bounds_register(session->connection, work->views, work->count, error);
    if (good && sqlite3_prepare_v2(session->connection, query_named(cli_queries, "bound_rows"), -1, &rows,
                                   NULL) != SQLITE_OK)
        good = error_set(error, NULL, "%s", store_problem(session->connection));
    good = good && report_rows(rows, &session->style, -1, session->out, NULL, error);
    sqlite3_finalize(rows);
    return good;
}

static int run(struct work *work, struct error *error)
{
    if (!session_read(&work->session, work->invocation->operands.data, 1, needed, error))
        return 2;
    int code = innermost_choose(&work->innermost, true, error);
    if (code)
        return code;
    if (!compute(work, error))
        return 2;
    if (work->session.style.format != report_TABLE)
        return print_for_programs(work, error) ? 0 : 2;
    print_for_people(work);
    return 0;
}

int command_bounds(const struct invocation *invocation, struct error *error)
{
    struct work work = {.invocation = invocation};
    work.innermost = (struct innermost){.session = &work.session, .loops = ARRAY_OF(int64_t)};
    int code = 2;
    output_spare(options_operand(invocation, 0));
    if (session_begin(&work.session, invocation, error))
        code = run(&work, error);
    session_disconnect(&work.session);
    for (size_t i = 0; i < work.count; i++)
        free((char *)work.views[i].no_source);
    free(work.views);
    free(work.macs);
    free(work.measured);
    bounds_sources_free(&work.sources);
    innermost_free(&work.innermost);
    return session_end(&work.session, code, error);
}
