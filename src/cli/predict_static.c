/* assay predict --from: the static route. Recorded runs in, seconds on another machine or with another size
   out; nothing is run. */
#include "cli/machines.h"
#include "cli/predict.h"
#include "cli/say.h"
#include "code/cost/loops.h"
#include "model/isa.h"
#include "plan/predict/static_ledger.h"
#include "plan/predict/static_loops.h"
#include "show/report/predict/static_view.h"
#include "store/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct work {
    struct session session;
    struct machine *machine;
    bool is_host;
    struct array runs; /* of static_run */
    char *here;        /* processor of the runs */
    struct static_program program;
};

/* A number above 0 with nothing behind it but `end`. */
static bool parse_size(const char *text, const char *end, double *size)
{
    char *behind;
    *size = strtod(text, &behind);
    return behind == end && behind != text && *size > 0 && isfinite(*size);
}

/* SIZE=FILE, or FILE alone; a file whose name has a = can be given with a path before it. */
static bool split(const char *value, double *size, const char **path, struct error *error)
{
    const char *equals = strchr(value, '=');
    *size = NAN;
    *path = value;
    if (!equals || memchr(value, '/', (size_t)(equals - value)))
        return true;
    if (!parse_size(value, equals, size))
        return error_set(error, NULL, "--from %s: the size before = must be a number above 0", value);
    *path = equals + 1;
    return true;
}

static bool take_machines(struct work *work, const struct model *model, struct loop_machines *machines,
                          struct error *error)
{
    enum isa code = static_run_isa(model);
    if (!work->machine)
        work->machine = machines_take(options_value(work->session.invocation, OPTION_MACHINE), code,
                                      &work->is_host, error);
    if (!work->machine)
        return false;
    if (code && !machine_runs(work->machine, code))
        return error_set(error, NULL, "%s does not run %s code; choose another machine", work->machine->name,
                         isa_word(code));
    *machines = (struct loop_machines){0};
    machines->of[work->machine->isa] = work->machine;
    return true;
}

/* Cycles of the run's loops on the machine that is asked for, as struct static_path. */
static void find_cycles(const struct model *model, const struct loop_machines *machines, unsigned threads,
                        struct array *there)
{
    struct array loops = ARRAY_OF(uint32_t), paths = ARRAY_OF(struct loop_path);
    static_run_wanted(model, &loops);
    for (size_t i = 0; i < loops.count; i++)
        loop_paths_list(model, *ARRAY_AT(uint32_t, &loops, i), &paths);
    cost_loops_quickly(model, machines, &paths, threads);
    for (size_t i = 0; i < paths.count; i++) {
        const struct loop_path *path = ARRAY_AT(struct loop_path, &paths, i);
        *(struct static_path *)array_push(there) =
            (struct static_path){.loop = path->loop, .path = path->path, .cycles = path->cycles};
    }
    array_free(&paths);
    array_free(&loops);
}

static bool take_run(struct work *work, const char *value, struct error *error)
{
    double size;
    const char *path;
    if (!split(value, &size, &path, error))
        return false;
    if (access(path, R_OK))
        return error_set_errno(error, path, "cannot be read");
    if (!store_is_database(path))
        return error_set(error, path, "is not a database; assay run --measure -o FILE -- ./prog … makes one");
    struct store *store = store_open_file(path, error);
    struct model model;
    model_init(&model);
    struct loop_machines machines;
    struct static_run run = {0};
    struct array there = ARRAY_OF(struct static_path);
    bool is_fine = store && store_load(store, &model, static_tables, error) &&
                   take_machines(work, &model, &machines, error);
    if (is_fine)
        find_cycles(&model, &machines, session_threads(work->session.invocation), &there);
    is_fine = is_fine && static_run_take(&model, path, &there, size, &run, error);
    array_free(&there);
    if (is_fine && !work->here) {
        const char *processor =
            model_text(&model, model_sampled_run(&model, (uint32_t)model.runs.count - 1)->processor);
        work->here = processor ? memory_format("%s", processor) : NULL;
    }
    struct stat facts;
    run.made = stat(path, &facts) ? 0 : (double)facts.st_mtim.tv_sec + 1e-9 * (double)facts.st_mtim.tv_nsec;
    if (is_fine && !work->program.path)
        static_run_program(&model, &work->program);
    if (is_fine)
        *(struct static_run *)array_push(&work->runs) = run;
    else
        static_runs_free(&run, 1);
    store_close(store);
    model_free(&model);
    return is_fine;
}

/* A ledger that cannot be used costs the memory, not the answer. */
static void remember(struct work *work, double size, bool is_same, struct static_answer *found)
{
    struct error problem = {0};
    const char *there = work->machine->title ? work->machine->title : work->machine->name;
    const struct static_run *runs = work->runs.data;
    const char *here = work->here ? work->here : is_same ? there : "unknown";
    struct ledger *ledger =
        work->program.path
            ? ledger_open(options_value(work->session.invocation, OPTION_LEDGER), true, &problem)
            : NULL;
    size = isnan(size) ? runs[work->runs.count - 1].size : size;
    if (ledger && ledger_begin(ledger, &problem)) {
        if (static_learn(ledger, &work->program, runs, work->runs.count, here, there, found, &problem) &&
            static_note(ledger, &work->program, size, there, found, &problem))
            ledger_commit(ledger, &problem);
        else
            ledger_undo(ledger);
    }
    if (problem.set)
        say("this answer is not remembered: %s", problem.text);
    ledger_close(ledger);
}

static bool answer(struct work *work, struct error *error)
{
    const char *asked = options_value(work->session.invocation, OPTION_SIZE);
    double size = NAN;
    if (asked && !parse_size(asked, asked + strlen(asked), &size))
        return error_set(error, NULL, "--size takes a number above 0, not %s", asked);
    /* On the same processor the clock of the runs is better than the usual one of the machine file. */
    bool is_same = work->here && work->machine->title && !strcmp(work->here, work->machine->title);
    double clock = is_same ? NAN : work->machine->core.clock * 1e9;
    struct static_answer found;
    bool is_fine = static_predict(work->runs.data, work->runs.count, size, clock, &found);
    if (is_fine) {
        remember(work, size, is_same, &found);
        struct static_view view = {.answer = &found,
                                   .machine = work->machine,
                                   .here = work->here,
                                   .size = size,
                                   .runs = (unsigned)work->runs.count,
                                   .is_same = is_same,
                                   .has_clock = clock > 0};
        report_static(&view, &work->session.style, work->session.out);
    } else
        error_set(error, NULL,
                  "--size %s needs runs of two sizes at least, each told: --from 1000=small.db --from "
                  "2000=large.db",
                  asked);
    static_answer_free(&found);
    return is_fine;
}

int predict_static(const struct invocation *invocation, struct error *error)
{
    struct work work = {.runs = ARRAY_OF(struct static_run)};
    bool is_fine = session_begin(&work.session, invocation, error);
    if (is_fine && invocation->operands.count)
        is_fine = error_set(error, NULL, "predict --from runs nothing, and takes no description or inputs");
    for (size_t i = 0; is_fine && i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id == OPTION_FROM)
            is_fine = take_run(&work, given->value, error);
    }
    is_fine = is_fine && answer(&work, error);
    static_runs_free(work.runs.data, work.runs.count);
    array_free(&work.runs);
    machine_free(work.machine);
    free(work.program.path);
    free(work.program.build);
    free(work.here);
    return session_end(&work.session, is_fine ? 0 : 2, error);
}
