/* How long tasks take, as far as is known: what a run of the same task took, what the predictor says, what
   the file declared, or the mean of the tasks so far.

   Asking a predictor reads the inputs of a task, which takes a while, so only some are asked in each round;
   the others have the mean until then. A task that waits for others is asked early where its inputs are there
   already, and again when it can start, since they may have changed. Each run of a program that is done
   teaches something about the others, so all that wait are asked again then. */
#include "plan/schedule/state.h"

#include "base/clock.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known_description {
    char *path;
    struct predict_description *description; /* NULL: it is wrong */
};

static const double usual_seconds = 60; /* where nothing at all is known */

double task_seconds(const struct state *state, const struct task *task, uint32_t processors)
{
    double seconds = task->seconds > 0 ? task->seconds : state->mean > 0 ? state->mean : usual_seconds;
    if (!(task->seconds > 0) && task->probe_of) {
        uint32_t owner = task_of_id(state, task->probe_of);
        if (owner != UINT32_MAX && task_at(state, owner)->seconds > 0)
            seconds = task_at(state, owner)->seconds;
        seconds /= task->factor > 1 ? pow(task->factor, 2) : 1;
    }
    double share = scaling_share(&task->scaling, processors);
    seconds *= share > 0 ? share : 1.0 / processors;
    return seconds > 1e-6 ? seconds : 1e-6;
}

/* A guess that began before anything was known is no better now: tasks that run are expected to take the mean,
   too, or what they took so far. */
static bool guess_anew(struct state *state, struct task *task, double mean)
{
    double before = task->seconds > 0 ? task->seconds : usual_seconds;
    task->seconds = mean;
    if (task->state != task_RUNNING || !task->attempt)
        return task->state == task_WAITING;
    struct attempt *attempt = attempt_at(state, task->attempt - 1);
    double elapsed = isnan(attempt->started) ? 0 : state_now(state) - attempt->started;
    attempt->expected = fmax(attempt->expected * mean / before, elapsed + 0.1);
    return true;
}

/* The mean of measured tasks; where there are none, of declared ones. Speculative workflows say nothing
   about others. */
static bool look_for_mean(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "look_for_mean"), ""))
        return false;
    bool is_there = ledger_next(&rows);
    double mean = is_there ? ledger_real(&rows, 0) : NAN;
    state->mean_count = is_there ? (double)ledger_integer(&rows, 1) : 0;
    if (!ledger_end(&rows, error))
        return false;
    if (!(mean > 0) || fabs(mean - state->mean) <= 0.1 * state->mean)
        return true;
    bool has_any = false;
    state->mean = mean;
    for (size_t i = 0; i < state->tasks.count; i++) {
        struct task *task = task_at(state, i);
        if ((task->state == task_WAITING || task->state == task_RUNNING) && task_is_unknown(task))
            has_any |= guess_anew(state, task, mean);
    }
    if (!has_any)
        return true;
    state->stale |= stale_PLAN;
    char text[40];
    return ledger_do(state->ledger, error, query_named(schedule_queries, "set_mean"), "r", mean) &&
           decide(state, error, "estimate", -1, -1, -1,
                  "tasks about which nothing is known are taken to need %s, the mean of the tasks so far",
                  state_duration(mean, text));
}

static struct predict_description *description_of(struct state *state, const char *path, struct error *error)
{
    for (size_t i = 0; i < state->descriptions.count; i++) {
        const struct known_description *known = ARRAY_AT(struct known_description, &state->descriptions, i);
        if (!strcmp(known->path, path))
            return known->description;
    }
    struct known_description *known = array_add(&state->descriptions);
    *known = (struct known_description){memory_format("%s", path), predict_describe(path, error)};
    return known->description;
}

void estimates_begin(struct state *state)
{
    state->descriptions = ARRAY_OF(struct known_description);
}

void estimates_free(struct state *state)
{
    for (size_t i = 0; i < state->descriptions.count; i++) {
        struct known_description *known = ARRAY_AT(struct known_description, &state->descriptions, i);
        free(known->path);
        predict_description_free(known->description);
    }
    array_free(&state->descriptions);
}

/* name=path words; a blank within a path is not possible here. */
static struct predict_query *ask(struct state *state, const struct task *task, const char *machine,
                                 struct error *error)
{
    struct predict_description *description = description_of(state, task->predictor, error);
    if (!description) {
        error_set(error, task->predictor, "cannot be used as a description");
        return NULL;
    }
    char *words = memory_format("%s", task->inputs ? task->inputs : "");
    struct array bindings = ARRAY_OF(char *);
    for (char *rest, *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        *(char **)array_push(&bindings) = word;
    *(char **)array_push(&bindings) = NULL;
    struct predict_query *query =
        predict_ask(description, (const char *const *)bindings.data, workflow_of(state, task)->folder,
                    machine, state->ledger, error);
    array_free(&bindings);
    free(words);
    return query;
}

static bool estimate(struct state *state, struct task *task, struct error *error)
{
    struct predict_estimate told;
    struct error why = {0};
    if (!predict_estimate(task->query, 1, false, &told, &why) || !(told.seconds > 0))
        return true; /* the mean has to do */
    if (fabs(told.seconds - task->seconds) <= 0.05 * task->seconds &&
        strcmp(task->estimate_from, "mean") != 0)
        return true;
    double upper = isfinite(told.upper) ? told.upper : NAN;
    char now[40], before[40];
    const char *from = told.probes ? "probes" : "history";
    if (!ledger_do(state->ledger, error, query_named(schedule_queries, "set_estimate"), "rrri", told.seconds,
                   told.lower, upper, task->id) ||
        !decide(state, error, "estimate", task->id, -1, -1,
                "%s on one processor (it was %s), by %s and the model %s: %u probes, %u runs",
                state_duration(told.seconds, now), state_duration(task->seconds, before), from,
                told.model ? told.model : "none", told.probes, told.runs))
        return false;
    task->seconds = told.seconds;
    task->lower = told.lower;
    task->upper = upper;
    task->estimate_from = "probes";
    state->stale |= stale_PLAN;
    return true;
}

void estimates_ask_again(struct state *state, const char *predictor)
{
    for (size_t i = 0; i < state->tasks.count; i++) {
        struct task *task = task_at(state, i);
        if (task->predictor && !task->probe_of && task->state == task_WAITING &&
            !strcmp(task->predictor, predictor))
            task->is_asked = false;
    }
}

static bool look_at(struct state *state, uint32_t index, struct error *error)
{
    struct task *task = task_at(state, index);
    struct error why = {0};
    bool is_ready = task_is_ready(state, task);
    if (is_ready && task->is_early) {
        predict_query_free(task->query);
        task->query = NULL;
    }
    if (!task->query)
        task->query = ask(state, task, surroundings_machine(state), &why);
    task->is_asked = true;
    task->is_early = !is_ready;
    if (!task->query && task->is_early)
        return true;
    if (!task->query)
        return decide(state, error, "estimate", task->id, -1, -1,
                      "its predictor cannot answer, so the mean is taken: %s", why.text);
    return estimate(state, task, error) && (!is_ready || task->is_probing || probes_add(state, index, error));
}

static bool in_transaction(struct state *state, bool (*work)(struct state *, uint32_t, struct error *),
                           uint32_t index, struct error *error)
{
    if (!ledger_begin(state->ledger, error))
        return false;
    if (work(state, index, error))
        return state_commit(state, error);
    state_undo(state);
    return false;
}

static bool mean_of_all(struct state *state, uint32_t index, struct error *error)
{
    (void)index;
    return look_for_mean(state, error);
}

bool estimates_look(struct state *state, double budget, struct error *error)
{
    double begin = clock_monotonic_seconds();
    if (!in_transaction(state, mean_of_all, 0, error))
        return false;
    for (size_t i = 0; i < state->tasks.count; i++) {
        const struct task *task = task_at(state, i);
        bool is_due = task->predictor && !task->probe_of && task->state == task_WAITING &&
                      (!task->is_asked || (task->is_early && task_is_ready(state, task))) &&
                      !workflow_of(state, task)->is_cancelled;
        if (!is_due)
            continue;
        if (!in_transaction(state, look_at, (uint32_t)i, error))
            return false;
        if (clock_monotonic_seconds() - begin > budget)
            break;
    }
    return true;
}

/* Runs are learned from by the kind of computer that they were on. */
static bool note_run(struct state *state, struct task *task, const char *machine,
                     const struct attempt *attempt, const struct engine_status *status, struct error *error)
{
    struct error ignored = {0};
    if (!task->query)
        task->query = ask(state, task, surroundings_machine(state), &ignored);
    bool is_other = task->query && machine && strcmp(machine, predict_host(task->query)) != 0;
    struct predict_query *query = is_other ? ask(state, task, machine, &ignored) : task->query;
    bool is_good = !query || predict_note_run(query, attempt->processors, status->ended - status->started,
                                              status->cpu_seconds, "schedule", error);
    if (is_other)
        predict_query_free(query);
    return is_good;
}

/* A task was done: later estimates learn from it. Within a transaction of the caller. */
bool estimates_learn(struct state *state, uint32_t index, const struct attempt *attempt,
                     const struct engine_status *status, struct error *error)
{
    struct task *task = task_at(state, index);
    double seconds = status->ended - status->started;
    const struct place *place = attempt->places.count ? attempt->places.data : NULL;
    double speed = place ? host_at(state, place->host)->speed : 1;
    double share = scaling_share(&task->scaling, attempt->processors);
    double on_one = seconds * speed / (share > 0 ? share : 1);
    if (!(seconds >= 0))
        return true;
    if (!state->kind->is_virtual && task->predictor && !task->probe_of) {
        if (!note_run(state, task, place ? host_at(state, place->host)->machine : NULL, attempt, status,
                      error))
            return false;
        estimates_ask_again(state, task->predictor);
    }
    return ledger_do(state->ledger, error, query_named(schedule_queries, "set_measured"), "ri", on_one,
                     task->id);
}
