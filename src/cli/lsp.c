/* assay lsp: the figures of a build or a run in an editor. */
#include "show/lsp/lsp.h"

#include "base/progress.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/compiler_remarks.h"
#include "cli/innermost.h"
#include "cli/machines.h"
#include "cli/report.h"
#include "cli/scripts.h"
#include "cli/shown_block.h"
#include "code/quality/quality.h"
#include "run/sample/rows.h"
#include "store/store.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was read last, all of which the view points to. */
struct build {
    struct model *model;
    struct innermost innermost;
    struct array loops; /* of uint32_t */
    struct quality_options options;
    struct shown_block block;
};

struct work {
    struct session session;
    struct report_style style;
    struct build build;
    enum advice_level level;
    const char *path;
};

static void build_free(struct build *build)
{
    shown_block_end(&build->block);
    innermost_free(&build->innermost);
    array_free(&build->loops);
    if (build->model)
        model_free(build->model);
    free(build->model);
    *build = (struct build){0};
}

/* All innermost loops, but of a run those of its libraries, which nobody changes. */
static void take_loops(struct build *build)
{
    bool is_run = build->model->runs.count > 0;
    for (size_t i = 0; i < build->innermost.loops.count; i++) {
        uint32_t loop = (uint32_t)*ARRAY_AT(int64_t, &build->innermost.loops, i);
        if (!is_run || !sample_is_library(build->model, model_loop(build->model, loop)->function))
            *(uint32_t *)array_push(&build->loops) = loop;
    }
}

static bool judge(struct work *work, struct build *build, struct error *error)
{
    struct session *session = &work->session;
    if (!innermost_take_all(&build->innermost, error))
        return false;
    take_loops(build);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        build->options.machines.of[isa] = build->innermost.machines[isa];
    build->options.threads = session_threads(session->invocation);
    build->options.path_limit = QUALITY_PATHS;
    quality_build(build->model, &build->options, &build->loops);
    scripts_judge(session, &build->options.machines);
    if (!compiler_remarks_take(session, &build->loops, error))
        return false;
    if (build->model->runs.count) {
        sample_savings(build->model);
        sample_library_cures(build->model);
    }
    quality_sort(build->model, work->level, build->loops.data, build->loops.count);
    return true;
}

static bool read_build(struct work *work, struct build *build, struct error *error)
{
    struct session *session = &work->session;
    *build = (struct build){.loops = ARRAY_OF(uint32_t)};
    build->innermost = (struct innermost){.session = session, .loops = ARRAY_OF(int64_t)};
    bool is_fine = report_read(session, work->path, error);
    build->model = session->model;
    is_fine = is_fine && (!store_is_database(work->path) || report_forget(session, error)) &&
              judge(work, build, error);
    session_disconnect(session);
    session->model = NULL;
    progress_clear();
    if (!is_fine)
        build_free(build);
    return is_fine;
}

static bool load(void *context, struct quality_view *view, struct error *error)
{
    struct work *work = context;
    struct build build;
    if (!read_build(work, &build, error))
        return false;
    build_free(&work->build);
    work->build = build;
    *view = (struct quality_view){.model = build.model,
                                  .path = work->path,
                                  .is_named = options_has(work->session.invocation, OPTION_MACHINE),
                                  .loops = build.loops.data,
                                  .basis = quality_sort_basis(build.model),
                                  .analysed_count = build.loops.count,
                                  .loop_count = build.loops.count,
                                  .demangle = work->session.style.demangle,
                                  .level = work->level,
                                  .trust = work->session.trust,
                                  .print_block = shown_block_print,
                                  .context = &work->build.block};
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        view->machines[isa] = build.innermost.machines[isa];
        view->is_host[isa] = build.innermost.is_host[isa];
    }
    work->build.block = (struct shown_block){
        .model = build.model, .machines = &work->build.options.machines, .style = &work->style};
    return true;
}

int command_lsp(const struct invocation *invocation, struct error *error)
{
    struct work work = {.path = options_operand(invocation, 0),
                        .style = {.format = report_TABLE, .unicode = true, .demangle = true}};
    int code = 2;
    if (session_begin(&work.session, invocation, error) && choose_level(invocation, &work.level, error) &&
        machines_know_name(invocation, error)) {
        const struct lsp_options options = {.path = work.path,
                                            .version = ASSAY_VERSION,
                                            .in = STDIN_FILENO,
                                            .out = STDOUT_FILENO,
                                            .load = load,
                                            .context = &work};
        signal(SIGPIPE, SIG_IGN); /* a client that went away is no reason for a signal */
        code = lsp_serve(&options, error);
    }
    build_free(&work.build);
    return session_end(&work.session, code, error);
}
