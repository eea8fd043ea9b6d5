/* What would happen if a workflow were added now: asked on a copy of the ledger in memory, so that nothing
   can be stored, and without starting anything. */
#include "plan/forecast/forecast.h"
#include "plan/forecast/share.h"
#include "plan/forecast/waits.h"
#include "plan/schedule/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct outcome {
    double end;
    unsigned late;
};

static bool is_of(const struct state *state, const struct task *task, const char *name)
{
    return name && !strcmp(workflow_of(state, task)->name, name);
}

static bool pack_all(struct state *state, struct packer *packer, struct problem *problem, double seconds,
                     const volatile sig_atomic_t *stop, struct error *error)
{
    uint32_t bad = 0;
    problem_make(state, problem);
    for (size_t i = 0; i < state->tasks.count; i++) {
        const struct task *task = task_at(state, i);
        char *reason = task->is_unfit && task->state == task_WAITING ? task_unfit_reason(state, task) : NULL;
        if (!reason)
            continue;
        char *title = task_title(state, task);
        error_set(error, title, "fits no host: %s", reason);
        free(title);
        free(reason);
        return false;
    }
    if (!problem->pack.task_count)
        return true;
    if (pack_set(packer, &problem->pack, &bad) != pack_FINE)
        return error_set(error, NULL, "task %s cannot be packed",
                         task_at(state, *ARRAY_AT(uint32_t, &problem->tasks, bad))->name);
    pack_work(packer, seconds, (const volatile int *)stop);
    return true;
}

/* The end of everything but one workflow: what runs, and what is planned. */
static struct outcome end_of_others(struct state *state, const struct problem *problem, struct packer *packer,
                                    const char *except)
{
    struct outcome outcome = {.end = NAN};
    for (size_t i = 0; i < state->attempts.count; i++)
        outcome.end = fmax(outcome.end, attempt_end(state, attempt_at(state, i), problem->pack.now));
    const struct pack_schedule *plan = problem->pack.task_count ? pack_best(packer) : NULL;
    double *likely = plan ? likely_ends(state, problem, plan) : NULL;
    for (uint32_t i = 0; plan && i < plan->count; i++) {
        const struct task *task = task_at(state, *ARRAY_AT(uint32_t, &problem->tasks, plan->placed[i].task));
        if (is_of(state, task, except) || workflow_of(state, task)->is_speculative)
            continue;
        outcome.end = fmax(outcome.end, plan->placed[i].ends);
        outcome.late += likely[i] > task->deadline;
    }
    free(likely);
    return outcome;
}

static char *words_of_hosts(const struct state *state, const struct problem *problem,
                            const struct pack_schedule *plan, const struct pack_placed *placed)
{
    char *text = NULL;
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        uint32_t count = 0;
        for (uint32_t n = 0; n < placed->count; n++) {
            uint32_t processor =
                *ARRAY_AT(uint32_t, &problem->processors, plan->processors[placed->first + n]);
            count += processor - host->first < host->processors;
        }
        if (!count)
            continue;
        char *longer = memory_format("%s%s%s:%u", text ? text : "", text ? ", " : "", host->name, count);
        free(text);
        text = longer;
    }
    return text ? text : memory_format("%s", "");
}

static int by_begin(const void *left, const void *right)
{
    double a = ((const struct schedule_placed *)left)->begins,
           b = ((const struct schedule_placed *)right)->begins;
    return (a > b) - (a < b);
}

static void list_tasks(struct state *state, const struct problem *problem, struct packer *packer,
                       const char *name, struct schedule_what_if *result)
{
    const struct pack_schedule *plan = problem->pack.task_count ? pack_best(packer) : NULL;
    double *likely = plan ? likely_ends(state, problem, plan) : NULL;
    for (uint32_t i = 0; plan && i < plan->count; i++) {
        const struct pack_placed *placed = &plan->placed[i];
        const struct task *task = task_at(state, *ARRAY_AT(uint32_t, &problem->tasks, placed->task));
        if (!is_of(state, task, name) || task->probe_of)
            continue;
        *(struct schedule_placed *)array_add(&result->tasks) =
            (struct schedule_placed){.name = memory_format("%s", task->name),
                                     .hosts = words_of_hosts(state, problem, plan, placed),
                                     .estimate_from = memory_format("%s", task->estimate_from),
                                     .processors = placed->count,
                                     .begins = placed->begins,
                                     .ends = placed->ends,
                                     .deadline = isfinite(task->deadline) ? task->deadline : NAN,
                                     .likely = likely[i]};
        result->ends = fmax(result->ends, placed->ends);
        result->likely = fmax(result->likely, likely[i]);
    }
    free(likely);
    if (result->tasks.count)
        qsort(result->tasks.data, result->tasks.count, result->tasks.width, by_begin);
}

/* The same plan with the upper ends of all intervals of this workflow; NaN where one has none. */
static double latest_end(struct state *state, struct packer *packer, const char *name, double seconds,
                         const volatile sig_atomic_t *stop)
{
    struct problem problem;
    struct error ignored = {0};
    double end = NAN;
    for (size_t i = 0; i < state->tasks.count; i++) {
        struct task *task = task_at(state, i);
        if (!is_of(state, task, name))
            continue;
        if (isnan(task->upper))
            return NAN;
        task->seconds = fmax(task->seconds, task->upper);
    }
    if (pack_all(state, packer, &problem, seconds, stop, &ignored) && problem.pack.task_count) {
        struct schedule_what_if result = {
            .ends = NAN, .likely = NAN, .tasks = ARRAY_OF(struct schedule_placed)};
        list_tasks(state, &problem, packer, name, &result);
        end = result.ends;
        schedule_what_if_free(&result);
    }
    problem_free(&problem);
    return end;
}

/* Others on this computer make it slower, for what is planned here and for what runs. */
static bool share_with_others(struct state *state, struct schedule_what_if *result, struct error *error)
{
    double own = 0, wanted = 0;
    struct host_share share;
    if (state->kind != &engine_local)
        return true;
    for (size_t i = 0; i < state->attempts.count; i++)
        own += attempt_at(state, i)->processors;
    for (size_t i = 0; i < state->hosts.count; i++)
        wanted += host_at(state, i)->is_gone ? 0 : host_at(state, i)->processors;
    if (!share_forecast(wanted, own, true, &share, error))
        return false;
    result->others = share.others;
    result->share = share.share;
    for (size_t i = 0; i < state->hosts.count; i++)
        host_at(state, i)->share = share.share;
    return true;
}

static bool look_at_waits(struct state *state, struct schedule_what_if *result, struct error *error)
{
    struct series waits;
    bool is_good = waits_of_ledger(&waits, state->ledger, state->kind->name, error);
    struct forecasting *forecasting = forecast_open(forecast_SQUARES);
    for (size_t i = 0; is_good && i < waits.points.count; i++)
        forecast_add(forecasting, ARRAY_AT(struct series_point, &waits.points, i)->value);
    struct forecast next = forecast_next(forecasting);
    result->wait = next.value;
    result->wait_upper = next.upper;
    forecast_close(forecasting);
    series_free(&waits);
    return is_good;
}

static bool answer(struct state *state, const struct workflow *workflow, double seconds,
                   struct schedule_what_if *result, struct error *error)
{
    const volatile sig_atomic_t *stop = state->options->stop;
    struct packer *packer = pack_open(1, state->options->threads, &pack_usual_aims);
    struct problem problem;
    int64_t id;
    bool is_good = estimates_look(state, 60, error);
    problem = (struct problem){0};
    struct error ignored = {0};
    /* Tasks of others that fit nowhere do not matter here. */
    if (is_good)
        pack_all(state, packer, &problem, seconds, stop, &ignored);
    struct outcome before = is_good ? end_of_others(state, &problem, packer, NULL) : (struct outcome){0};
    problem_free(&problem);
    problem = (struct problem){0};
    is_good = is_good && ledger_begin(state->ledger, error) &&
              workflow_add(workflow, state->ledger, state_now(state), &id, error) &&
              state_commit(state, error) && state_load(state, error) && estimates_look(state, 60, error) &&
              pack_all(state, packer, &problem, seconds, stop, error);
    if (is_good) {
        struct outcome with = end_of_others(state, &problem, packer, workflow->name);
        result->others_end = before.end;
        result->others_end_with = with.end;
        result->late_before = before.late;
        result->late_with = with.late;
        list_tasks(state, &problem, packer, workflow->name, result);
    }
    problem_free(&problem);
    if (is_good)
        result->latest = latest_end(state, packer, workflow->name, seconds / 4, stop);
    pack_close(packer);
    return is_good;
}

bool schedule_what_if(const struct schedule_options *options, const struct workflow *workflow, double seconds,
                      struct schedule_what_if *result, struct error *error)
{
    *result = (struct schedule_what_if){.ends = NAN,
                                        .likely = NAN,
                                        .latest = NAN,
                                        .others = NAN,
                                        .share = NAN,
                                        .wait = NAN,
                                        .wait_upper = NAN,
                                        .deadline = workflow->deadline,
                                        .tasks = ARRAY_OF(struct schedule_placed)};
    struct ledger *copy = ledger_copy(options->ledger, error);
    if (!copy)
        return false;
    struct schedule_options silent = *options;
    silent.tell = NULL;
    struct state state;
    bool is_good = schedule_open_state(&state, &silent, copy, error);
    if (is_good) {
        result->now = state_now(&state);
        is_good = share_with_others(&state, result, error) && look_at_waits(&state, result, error) &&
                  answer(&state, workflow, seconds, result, error);
    }
    schedule_close_state(&state);
    ledger_close(copy);
    return is_good;
}

void schedule_what_if_free(struct schedule_what_if *result)
{
    for (size_t i = 0; i < result->tasks.count; i++) {
        struct schedule_placed *placed = ARRAY_AT(struct schedule_placed, &result->tasks, i);
        free(placed->name);
        free(placed->hosts);
        free(placed->estimate_from);
    }
    array_free(&result->tasks);
}
