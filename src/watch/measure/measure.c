/* See measure.h: input, choice, plan, run, rows, figures. */
#include "watch/measure/measure.h"

#include "watch/measure/budget.h"
#include "watch/measure/figures.h"
#include "watch/measure/input.h"
#include "watch/probe/plan_parts.h"
#include "watch/probe/probe.h"
#include "watch/probe/recording.h"

#include <math.h>
#include <stdlib.h>

struct measuring {
    struct model *model;
    const struct watch_program *program;
    const struct measure_options *options;
    struct measure_result *result;
    uint32_t run; /* row of runs */
    bool has_no_input;
    struct array all; /* of uint32_t: loops that get probes */
};

/* Loops of one way of measuring. */
static void plan_way(struct watch_plan *plan, const struct array *choices, enum measure_way way)
{
    struct array loops = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < choices->count; i++) {
        const struct measure_choice *choice = ARRAY_AT(struct measure_choice, choices, i);
        if (choice->way == way)
            *(uint32_t *)array_push(&loops) = choice->loop;
    }
    watch_plan_loops(plan, loops.data, loops.count, way == MEASURE_TIME);
    array_free(&loops);
}

/* A trap takes a microsecond, so a loop that cannot do without gets no probe. */
static bool drop_refused(const struct watch_plan *plan, struct array *choices)
{
    bool has_dropped = false;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        const struct watch_subject *subject = ARRAY_AT(struct watch_subject, &plan->subjects, i);
        for (size_t c = 0; subject->refusal != WATCH_PLACED && c < choices->count; c++) {
            struct measure_choice *choice = ARRAY_AT(struct measure_choice, choices, c);
            has_dropped |= choice->loop == subject->loop;
            if (choice->loop == subject->loop)
                choice->way = MEASURE_REFUSED;
        }
    }
    return has_dropped;
}

static void make_plan(struct watch_plan *plan, struct model *model, struct array *choices)
{
    for (;;) {
        watch_plan_init(plan, model);
        plan_way(plan, choices, MEASURE_TIME);
        plan_way(plan, choices, MEASURE_COUNT);
        watch_place(plan);
        if (!drop_refused(plan, choices))
            return;
        watch_plan_free(plan);
    }
}

static void count_probed(struct measuring *measuring, const struct watch_plan *plan,
                         const struct array *choices)
{
    struct measure_result *result = measuring->result;
    result->wished = choices->count;
    for (size_t i = 0; i < choices->count; i++)
        result->left_out += ARRAY_AT(struct measure_choice, choices, i)->way == MEASURE_NOT;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        const struct watch_subject *subject = ARRAY_AT(struct watch_subject, &plan->subjects, i);
        *(uint32_t *)array_push(&measuring->all) = subject->loop;
        result->counted += subject->how.kind == PROBE_COUNT_ONLY;
    }
    result->probed = measuring->all.count;
    measure_limit(measuring->model, measuring->run, run_limit_kind_TOO_SHORT, result->left_out);
    measure_limit(measuring->model, measuring->run, run_limit_kind_UNPROBED,
                  result->wished - result->left_out - result->probed);
}

static bool ended_alike(const struct model *model, uint32_t run, const struct watch_run *second)
{
    const struct sampled_run *first = model_sampled_run(model, run);
    int status = second->end_signal ? NO_NUMBER : second->exit_status;
    int signal = second->end_signal ? second->end_signal : NO_NUMBER;
    return first->exit_status == status && first->end_signal == signal;
}

static void free_paths(struct array *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(*ARRAY_AT(char *, paths, i));
    array_free(paths);
}

/* Runs the plan and adds its rows; *first gets the first of its rows of probe_runs. */
static bool run_plan(struct measuring *measuring, const struct watch_plan *plan, struct watch_run *run,
                     uint32_t *first, struct error *error)
{
    struct model *model = measuring->model;
    struct watch_probe probe = {.words = measuring->options->words,
                                .runtime = measuring->options->runtime,
                                .is_silent = true,
                                .has_no_input = measuring->has_no_input};
    struct array recordings;
    *run = (struct watch_run){.guard.pipe = -1};
    *first = (uint32_t)(model->probe_runs.count ? model->probe_runs.count : 1);
    bool is_done = watch_probe_run(&probe, plan, measuring->program, run, &recordings, error) &&
                   recording_add(model, plan, &recordings, error);
    if (is_done) {
        recording_ended(model, run);
        recording_conclude(model);
    }
    watch_run_forget(run);
    free_paths(&recordings);
    if (is_done && model->probe_runs.count <= *first)
        return error_set(error, measuring->options->words[0],
                         "ran again, but no process loaded a file with hot loops");
    return is_done;
}

static bool run_again(struct measuring *measuring, const struct watch_plan *plan, struct error *error)
{
    struct measure_result *result = measuring->result;
    struct watch_run run;
    uint32_t first;
    if (!measure_input_again(&measuring->options->input, &measuring->has_no_input, error) ||
        !run_plan(measuring, plan, &run, &first, error))
        return false;
    result->exit_status = run.exit_status;
    result->end_signal = run.end_signal;
    result->seconds = run.seconds;
    result->probe_share = measure_probe_share(measuring->model, first);
    result->reached = measure_figures(measuring->model, measuring->run, first, &measuring->all);
    measure_limit(measuring->model, measuring->run, run_limit_kind_DIFFERS, result->probed - result->reached);
    measure_limit(measuring->model, measuring->run, run_limit_kind_ENDED,
                  !ended_alike(measuring->model, measuring->run, &run));
    return true;
}

static bool plan_and_run(struct measuring *measuring, const struct array *loops, struct error *error)
{
    struct array choices;
    struct watch_plan plan;
    measure_choose(measuring->model, measuring->run, loops, &choices);
    make_plan(&plan, measuring->model, &choices);
    count_probed(measuring, &plan, &choices);
    bool is_done = !measuring->all.count || run_again(measuring, &plan, error);
    watch_plan_free(&plan);
    array_free(&choices);
    return is_done;
}

bool measure_loops(struct model *model, const struct watch_program *program,
                   const struct measure_options *options, const struct array *loops,
                   struct measure_result *result, struct error *error)
{
    *result = (struct measure_result){.exit_status = -1, .seconds = NAN, .probe_share = NAN};
    if (model->runs.count < 2 || !loops->count)
        return true;
    struct measuring measuring = {.model = model,
                                  .program = program,
                                  .options = options,
                                  .result = result,
                                  .run = model_last(&model->runs),
                                  .all = ARRAY_OF(uint32_t)};
    bool is_done =
        watch_probe_may(program, options->words[0], error) && plan_and_run(&measuring, loops, error);
    if (!is_done)
        measure_limit(model, measuring.run, run_limit_kind_NOT_MEASURED, 1);
    array_free(&measuring.all);
    return is_done;
}
