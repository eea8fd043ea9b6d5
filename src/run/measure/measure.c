/* See measure.h: input, choice, plan, run, rows, figures. */
#include "run/measure/measure.h"

#include "run/measure/budget.h"
#include "run/measure/figures.h"
#include "run/measure/input.h"
#include "run/measure/paths.h"
#include "run/probe/plan/parts.h"
#include "run/probe/probe.h"
#include "run/probe/recording/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct measuring {
    struct model *model;
    const struct launch_program *program;
    const struct measure_options *options;
    struct measure_result *result;
    uint32_t run; /* row of runs */
    bool has_no_input;
    struct array choices; /* of struct measure_choice */
    struct array all;     /* of uint32_t: loops that get probes in the second run */
    struct array called;  /* of uint32_t: functions whose calls are counted */
    size_t wished_calls;  /* of functions */
};

/* Loops of one way of measuring. */
static void plan_way(struct probe_plan *plan, const struct array *choices, enum measure_way way)
{
    struct array loops = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < choices->count; i++) {
        const struct measure_choice *choice = ARRAY_AT(struct measure_choice, choices, i);
        if (choice->way == way)
            *(uint32_t *)array_push(&loops) = choice->loop;
    }
    probe_plan_loops(plan, loops.data, loops.count, way == MEASURE_TIME);
    array_free(&loops);
}

/* A trap takes a microsecond, so a loop that cannot do without gets no probe. */
static bool drop_refused(const struct probe_plan *plan, struct array *choices)
{
    bool has_dropped = false;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, i);
        for (size_t c = 0; subject->refusal != PROBE_NOT_REFUSED && c < choices->count; c++) {
            struct measure_choice *choice = ARRAY_AT(struct measure_choice, choices, c);
            has_dropped |= choice->loop == subject->loop;
            if (choice->loop == subject->loop)
                choice->way = MEASURE_REFUSED;
        }
    }
    return has_dropped;
}

static bool drop_refused_functions(const struct probe_plan *plan, struct array *functions)
{
    size_t kept = 0;
    for (size_t k = 0; k < functions->count; k++) {
        uint32_t function = *ARRAY_AT(uint32_t, functions, k);
        bool is_refused = false;
        for (size_t i = 0; i < plan->subjects.count; i++) {
            const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, i);
            is_refused |= subject->kind == PROBE_OF_FUNCTION && subject->function == function &&
                          subject->refusal != PROBE_NOT_REFUSED;
        }
        if (!is_refused)
            *ARRAY_AT(uint32_t, functions, kept++) = function;
    }
    bool has_dropped = kept < functions->count;
    functions->count = kept;
    return has_dropped;
}

/* Each with its own limit. */
static void plan_enough(struct probe_plan *plan, const struct array *choices)
{
    for (size_t i = 0; i < choices->count; i++) {
        const struct measure_choice *choice = ARRAY_AT(struct measure_choice, choices, i);
        if (choice->way != MEASURE_ENOUGH)
            continue;
        plan->enough_bits = choice->enough_bits;
        plan->enough_sum_bits = choice->enough_sum_bits;
        probe_plan_loops(plan, &choice->loop, 1, false);
    }
    plan->enough_bits = plan->enough_sum_bits = 0;
}

static void make_plan(struct probe_plan *plan, struct measuring *measuring)
{
    struct array *choices = &measuring->choices, *called = &measuring->called;
    for (;;) {
        probe_plan_init(plan, measuring->model);
        plan->sums_large = true;
        plan->clock_bits = MEASURE_TIMED_BITS;
        plan_way(plan, choices, MEASURE_TIME);
        plan_way(plan, choices, MEASURE_COUNT);
        plan_enough(plan, choices);
        probe_plan_counted_functions(plan, called->data, called->count);
        probe_place(plan);
        bool has_dropped = drop_refused(plan, choices);
        if (!drop_refused_functions(plan, called) && !has_dropped)
            return;
        probe_plan_free(plan);
    }
}

static void count_probed(struct measuring *measuring, const struct probe_plan *plan)
{
    struct measure_result *result = measuring->result;
    const struct array *choices = &measuring->choices;
    result->wished = choices->count;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, i);
        if (subject->kind != PROBE_OF_LOOP)
            continue;
        *(uint32_t *)array_push(&measuring->all) = subject->loop;
        result->counted += subject->how.kind == PROBE_COUNT_ONLY;
    }
    result->probed = measuring->all.count;
    measure_limit(measuring->model, measuring->run, run_limit_kind_UNPROBED, result->wished - result->probed);
    measure_limit(measuring->model, measuring->run, run_limit_kind_UNCOUNTED,
                  measuring->wished_calls - measuring->called.count);
}

static bool ended_alike(const struct model *model, uint32_t run, const struct launch_run *second)
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
static bool run_plan(struct measuring *measuring, const struct probe_plan *plan, struct launch_run *run,
                     uint32_t *first, struct error *error)
{
    struct model *model = measuring->model;
    struct probe_request probe = {.words = measuring->options->words,
                                  .runtime = measuring->options->runtime,
                                  .is_silent = true,
                                  .has_no_input = measuring->has_no_input};
    struct array recordings;
    *run = (struct launch_run){.guard.pipe = -1};
    *first = (uint32_t)(model->probe_runs.count ? model->probe_runs.count : 1);
    bool is_done = probe_launch(&probe, plan, measuring->program, run, &recordings, error) &&
                   recording_add(model, plan, &recordings, error);
    if (is_done) {
        recording_ended(model, run);
        recording_conclude(model);
    }
    launch_run_forget(run);
    free_paths(&recordings);
    if (is_done && model->probe_runs.count <= *first)
        return error_set(error, measuring->options->words[0],
                         "ran again, but no process loaded a file with hot loops");
    return is_done;
}

static bool run_again(struct measuring *measuring, const struct probe_plan *plan, struct error *error)
{
    struct measure_result *result = measuring->result;
    struct launch_run run;
    uint32_t first;
    if (!measure_input_again(&measuring->options->input, &measuring->has_no_input, error) ||
        !run_plan(measuring, plan, &run, &first, error))
        return false;
    result->exit_status = run.exit_status;
    result->end_signal = run.end_signal;
    result->seconds = run.seconds;
    result->probe_share = measure_probe_share(measuring->model, first);
    result->reached = measure_figures(measuring->model, measuring->run, first, &measuring->all);
    measure_calls(measuring->model, measuring->run, first, &measuring->called);
    measure_limit(measuring->model, measuring->run, run_limit_kind_DIFFERS, result->probed - result->reached);
    measure_limit(measuring->model, measuring->run, run_limit_kind_ENDED,
                  !ended_alike(measuring->model, measuring->run, &run));
    return true;
}

static bool measure(struct measuring *measuring, struct error *error)
{
    struct probe_plan plan;
    make_plan(&plan, measuring);
    count_probed(measuring, &plan);
    bool is_done = (!measuring->all.count && !measuring->called.count) || run_again(measuring, &plan, error);
    probe_plan_free(&plan);
    return is_done;
}

/* ---- the third run ---- */

/* Of each thread and loop: about 0.1 s. */
enum { ADDRESS_BITS = 22, OUTCOME_BITS = 20 };
static const double AS_PREDICTED = 1.1;

struct explained {
    uint32_t loop, function; /* loop 0: the function outside its loops */
    bool has_addresses, has_branches;
};

static struct explained wish_of(const struct measuring *measuring, const struct measure_choice *choice)
{
    const struct model *model = measuring->model;
    const struct run_loop *row = measure_row(model, measuring->run, choice->loop);
    bool is_quick =
        row && row->cycles_per_iteration <= AS_PREDICTED * measure_least_prediction(model, choice->loop);
    return (struct explained){.loop = choice->loop,
                              .has_addresses = !is_quick,
                              .has_branches = !is_quick || model_loop(model, choice->loop)->path_count != 1};
}

static bool is_trap(uint8_t refusal)
{
    return refusal == PROBE_REFUSED_SMALL || refusal == PROBE_REFUSED_UNKNOWN_JUMPS ||
           refusal == PROBE_REFUSED_FAR;
}

static bool drop_traps(const struct probe_plan *plan, struct explained *loops, size_t count)
{
    bool has_dropped = false;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, i);
        for (size_t k = 0; is_trap(subject->refusal) && k < count; k++) {
            if (loops[k].loop != subject->loop || (!subject->loop && loops[k].function != subject->function))
                continue;
            has_dropped = true;
            if (subject->kind == PROBE_OF_ACCESS)
                loops[k].has_addresses = false;
            else
                loops[k].has_branches = false;
        }
    }
    return has_dropped;
}

static void plan_explained(struct probe_plan *plan, struct model *model, struct explained *loops,
                           size_t count)
{
    for (;;) {
        probe_plan_init(plan, model);
        plan->sums_large = true;
        for (size_t i = 0; i < count; i++) {
            if (loops[i].has_addresses)
                probe_plan_accesses(plan, loops[i].loop, ADDRESS_BITS);
            if (loops[i].has_branches && loops[i].loop)
                probe_plan_branches(plan, loops[i].loop, OUTCOME_BITS);
            else if (loops[i].has_branches)
                probe_plan_function_branches(plan, loops[i].function, OUTCOME_BITS);
        }
        probe_place(plan);
        if (!drop_traps(plan, loops, count))
            return;
        probe_plan_free(plan);
    }
}

static int by_loop(const void *left, const void *right)
{
    const struct explained *a = left, *b = right;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

static bool run_explained(struct measuring *measuring, const struct probe_plan *plan,
                          const struct explained *loops, size_t count, struct error *error)
{
    struct launch_run run;
    uint32_t first;
    if (!measure_input_again(&measuring->options->input, &measuring->has_no_input, error) ||
        !run_plan(measuring, plan, &run, &first, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (loops[i].has_branches && loops[i].loop &&
            model_loop(measuring->model, loops[i].loop)->path_count > 1)
            measure_paths(measuring->model, measuring->run, first, loops[i].loop);
    }
    return true;
}

/* Of loops, addresses, too; of all code, the ways that it takes. */
static bool explain(struct measuring *measuring, const struct array *functions, struct error *error)
{
    const struct array *choices = &measuring->choices;
    struct explained *loops = memory_get((choices->count + functions->count + 1) * sizeof *loops);
    struct probe_plan plan;
    size_t count = 0;
    for (size_t i = 0; i < choices->count; i++)
        loops[count++] = wish_of(measuring, ARRAY_AT(struct measure_choice, choices, i));
    for (size_t i = 0; i < functions->count; i++)
        loops[count++] =
            (struct explained){.function = *ARRAY_AT(uint32_t, functions, i), .has_branches = true};
    qsort(loops, count, sizeof *loops, by_loop);
    plan_explained(&plan, measuring->model, loops, count);
    bool is_done = !plan.windows.windows.count || run_explained(measuring, &plan, loops, count, error);
    probe_plan_free(&plan);
    free(loops);
    return is_done;
}

bool measure_loops(struct model *model, const struct launch_program *program,
                   const struct measure_options *options, const struct array *loops,
                   const struct array *functions, struct measure_result *result, struct error *error)
{
    *result = (struct measure_result){.exit_status = -1, .seconds = NAN, .probe_share = NAN};
    if (model->runs.count < 2)
        return true;
    model_sampled_run(model, model_last(&model->runs))->has_second_run = true;
    if (!loops->count && !functions->count)
        return true;
    struct measuring measuring = {.model = model,
                                  .program = program,
                                  .options = options,
                                  .result = result,
                                  .run = model_last(&model->runs),
                                  .all = ARRAY_OF(uint32_t),
                                  .called = ARRAY_OF(uint32_t),
                                  .wished_calls = functions->count};
    if (functions->count)
        memcpy(array_add_many(&measuring.called, functions->count), functions->data,
               functions->count * sizeof(uint32_t));
    measure_choose(model, measuring.run, loops, &measuring.choices);
    bool is_done = probe_may_run(program, options->words[0], error) && measure(&measuring, error) &&
                   (!options->has_addresses || explain(&measuring, functions, error));
    if (!is_done)
        measure_limit(model, measuring.run, run_limit_kind_NOT_MEASURED, 1);
    array_free(&measuring.choices);
    array_free(&measuring.all);
    array_free(&measuring.called);
    return is_done;
}
