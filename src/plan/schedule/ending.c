/* What became of attempts: done, failed, lost with their host; and what follows for their tasks and for those
   that wait for them. All that one poll tells is one transaction. */
#include "plan/schedule/state.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOST = 10,
    PATIENCE = 10 /* seconds until a tag that the engine does not know is started again */
};

/* Tasks that wait for one that will never be done, and those that wait for them. */
static bool block_others(struct state *state, struct error *error)
{
    for (;;) {
        struct ledger_rows rows;
        int64_t id = 0;
        char *why = NULL;
        if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "block_others"), ""))
            return false;
        if (ledger_next(&rows)) {
            id = ledger_integer(&rows, 0);
            why = memory_format("it needs %s, which %s", ledger_text(&rows, 1),
                                !strcmp(ledger_text(&rows, 2), "failed")    ? "failed"
                                : !strcmp(ledger_text(&rows, 2), "blocked") ? "is blocked itself"
                                                                            : "was cancelled");
        }
        bool is_good = ledger_end(&rows, error);
        if (is_good && id)
            is_good = ledger_do(state->ledger, error, query_named(schedule_queries, "block_task"), "i", id) &&
                      decide(state, error, "block", id, -1, -1, "%s", why);
        free(why);
        uint32_t index = id ? task_of_id(state, id) : UINT32_MAX;
        if (index != UINT32_MAX)
            task_at(state, index)->state = task_GONE;
        if (!is_good || !id)
            return is_good;
    }
}

static bool set_task(struct state *state, struct task *task, const char *word, struct error *error)
{
    task->state = !strcmp(word, "waiting") ? task_WAITING : task_GONE;
    task->attempt = 0;
    return ledger_do(state->ledger, error, query_named(schedule_queries, "set_task"), "tii", word,
                     task->tries, task->id);
}

static bool set_attempt(struct state *state, struct attempt *attempt, const char *word,
                        const struct engine_status *status, struct error *error)
{
    attempt->is_over = true;
    state->stale |= stale_PLAN;
    double ended = isnan(status->ended) ? state_now(state) : status->ended;
    return ledger_do(state->ledger, error, query_named(schedule_queries, "set_attempt"), "ttrrriiti", word,
                     status->job, status->started, ended, status->cpu_seconds,
                     (int64_t)(status->state == engine_DONE), (int64_t)status->exit_status,
                     *status->why ? status->why : NULL, attempt->id);
}

static bool end_well(struct state *state, struct attempt *attempt, const struct engine_status *status,
                     struct error *error)
{
    struct task *task = task_at(state, attempt->task);
    struct ledger_rows rows;
    double seconds = status->ended - status->started, expected = NAN;
    char took[40], wanted[40];
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "expected_seconds"), "i",
                    attempt->id))
        return false;
    if (ledger_next(&rows))
        expected = ledger_real(&rows, 0);
    if (!ledger_end(&rows, error))
        return false;
    task->tries++;
    return set_attempt(state, attempt, "done", status, error) && set_task(state, task, "done", error) &&
           decide(state, error, "end", task->id, attempt->id, -1, "done: it took %s, %s were %s",
                  state_duration(seconds, took), state_duration(expected, wanted),
                  task_is_unknown(task) ? "planned, by a guess" : "expected") &&
           (task->probe_of ? probes_note(state, attempt->task, attempt, status, error)
                           : estimates_learn(state, attempt->task, attempt, status, error));
}

static bool end_badly(struct state *state, struct attempt *attempt, const struct engine_status *status,
                      const char *what, struct error *error)
{
    struct task *task = task_at(state, attempt->task);
    task->tries++;
    if (!set_attempt(state, attempt, status->state == engine_DONE ? "failed" : "lost", status, error))
        return false;
    if (task->tries < task->most_tries)
        return set_task(state, task, "waiting", error) &&
               decide(state, error, "resubmit", task->id, attempt->id, -1, "%s; try %lld of %lld comes next",
                      what, (long long)task->tries + 1, (long long)task->most_tries);
    return set_task(state, task, "failed", error) &&
           decide(state, error, "end", task->id, attempt->id, -1, "failed: %s%s; its output is %s/%s/output",
                  what, task->most_tries > 1 ? ", and that was the last try" : "",
                  state->options->settings.spool, attempt->tag) &&
           (!task->probe_of || probes_note(state, attempt->task, attempt, status, error)) &&
           block_others(state, error);
}

static bool end_lost(struct state *state, struct attempt *attempt, const struct engine_status *status,
                     struct error *error)
{
    struct task *task = task_at(state, attempt->task);
    struct ledger_rows rows;
    int64_t lost = 0;
    const char *why = *status->why ? status->why : "the engine does not know it any more";
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "count_lost"), "i", task->id))
        return false;
    if (ledger_next(&rows))
        lost = ledger_integer(&rows, 0);
    if (!ledger_end(&rows, error))
        return false;
    if (lost + 1 >= MOST_LOST) {
        char *what =
            memory_format("was lost %lld times (%s), which now counts as a try", (long long)lost + 1, why);
        bool is_good = end_badly(state, attempt, status, what, error);
        free(what);
        return is_good;
    }
    return set_attempt(state, attempt, "lost", status, error) && set_task(state, task, "waiting", error) &&
           decide(state, error, "resubmit", task->id, attempt->id, -1,
                  "lost: %s; it is started again, and this does not count as a try", why);
}

static bool end_cancelled(struct state *state, struct attempt *attempt, const struct engine_status *status,
                          struct error *error)
{
    struct task *task = task_at(state, attempt->task);
    return set_attempt(state, attempt, "cancelled", status, error) &&
           set_task(state, task, "cancelled", error) &&
           decide(state, error, "cancel", task->id, attempt->id, -1, "its job was ended");
}

static bool note_running(struct state *state, struct attempt *attempt, const struct engine_status *status,
                         struct error *error)
{
    bool is_running = status->state == engine_RUNNING;
    if (attempt->state == attempt_RUNNING && (!isnan(attempt->started) || isnan(status->started)))
        return true;
    if (attempt->state == attempt_QUEUED && !is_running)
        return true;
    attempt->state = is_running ? attempt_RUNNING : attempt_QUEUED;
    attempt->started = isnan(status->started) && is_running ? state_now(state) : status->started;
    state->stale |= is_running ? stale_PLAN : 0;
    if (is_running)
        surroundings_note_wait(state, attempt->started - attempt->asked);
    return ledger_do(state->ledger, error, query_named(schedule_queries, "note_running"), "ttri",
                     is_running ? "running" : "queued", status->job, is_running ? attempt->started : NAN,
                     attempt->id);
}

/* Some programs end well with a status that is not 0: their descriptions say which. */
static bool has_succeeded(const struct state *state, const struct task *task,
                          const struct engine_status *status)
{
    uint32_t owner = task->probe_of ? task_of_id(state, task->probe_of) : UINT32_MAX;
    const struct predict_query *query = owner == UINT32_MAX ? task->query : task_at(state, owner)->query;
    return !status->exit_status || (query && predict_is_success(query, status->exit_status));
}

static bool take_status(struct state *state, struct attempt *attempt, const struct engine_status *status,
                        struct array *again, struct error *error)
{
    const struct task *task = task_at(state, attempt->task);
    char what[300];
    switch (status->state) {
    case engine_QUEUED:
    case engine_RUNNING:
        return note_running(state, attempt, status, error);
    case engine_DONE:
        if (task->is_cancelled)
            return end_cancelled(state, attempt, status, error);
        if (has_succeeded(state, task, status))
            return end_well(state, attempt, status, error);
        snprintf(what, sizeof what, "exit status %d%s%s", status->exit_status, *status->why ? ", " : "",
                 status->why);
        return end_badly(state, attempt, status, what, error);
    case engine_LOST:
        return task->is_cancelled ? end_cancelled(state, attempt, status, error)
                                  : end_lost(state, attempt, status, error);
    case engine_UNKNOWN:
        if (task->is_cancelled)
            return end_cancelled(state, attempt, status, error);
        if (attempt->state != attempt_STARTING && state->kind->is_virtual)
            return end_lost(state, attempt, status, error);
        if (attempt->state != attempt_STARTING) {
            /* It may still be on its way: it is revoked, and the next answer says whether that was in time.
             */
            struct error ignored = {0};
            state->kind->cancel(state->engine, attempt->tag, &ignored);
            return true;
        }
        if (!attempt->is_ours || state_now(state) > attempt->asked + PATIENCE)
            *(struct attempt **)array_push(again) = attempt;
        return true;
    case engine_UNREACHABLE:
        return true;
    }
    return true;
}

/* Attempts that an earlier scheduler wrote, but did not live to start, and that the engine never saw. */
static bool start_again(struct state *state, const struct array *again, struct error *error)
{
    for (size_t i = 0; i < again->count; i++) {
        struct attempt *attempt = *ARRAY_AT(struct attempt *, again, i);
        if (!ledger_begin(state->ledger, error))
            return false;
        if (!decide(
                state, error, "recover", task_at(state, attempt->task)->id, attempt->id, -1,
                "an earlier scheduler had decided to start it, and the engine never saw it: it is started "
                "now, under the same tag")) {
            state_undo(state);
            return false;
        }
        if (!state_commit(state, error) || !starting_again(state, attempt, error))
            return false;
    }
    return true;
}

static void forget_ended(struct state *state)
{
    size_t kept = 0;
    for (size_t i = 0; i < state->attempts.count; i++) {
        struct attempt *attempt = attempt_at(state, i);
        if (attempt->is_over) {
            array_free(&attempt->places);
            continue;
        }
        if (kept != i)
            *attempt_at(state, kept) = *attempt;
        task_at(state, attempt_at(state, kept)->task)->attempt = (uint32_t)kept + 1;
        kept++;
    }
    bool has_less = kept != state->attempts.count;
    state->attempts.count = kept;
    if (has_less)
        state_hold(state);
}

/* That an engine does not answer, and that it does again, is told once each; why NULL: it does. */
static bool note_silence(struct state *state, const struct error *why, struct error *error)
{
    if (state->is_silent == (why != NULL))
        return true;
    if (!ledger_begin(state->ledger, error))
        return false;
    bool is_good = why ? decide(state, error, "engine", -1, -1, -1,
                                "%s; it is asked again, and jobs are left alone", why->text)
                       : decide(state, error, "engine", -1, -1, -1, "the engine answers again");
    if (!is_good)
        state_undo(state);
    if (!is_good || !state_commit(state, error))
        return false;
    state->is_silent = why != NULL;
    return true;
}

bool ending_look(struct state *state, struct error *error)
{
    size_t count = state->attempts.count;
    const char **tags = memory_get((count + 1) * sizeof *tags);
    struct engine_status *status = memory_get((count + 1) * sizeof *status);
    struct array again = ARRAY_OF(struct attempt *);
    struct error why = {0};
    for (size_t i = 0; i < count; i++)
        tags[i] = attempt_at(state, i)->tag;
    bool is_good = true;
    if (count && !state->kind->poll(state->engine, tags, (unsigned)count, status, &why)) {
        is_good = note_silence(state, &why, error);
    } else if (count) {
        is_good = note_silence(state, NULL, error) && ledger_begin(state->ledger, error);
        for (size_t i = 0; is_good && i < count; i++)
            is_good = take_status(state, attempt_at(state, i), &status[i], &again, error);
        if (is_good)
            is_good = state_commit(state, error);
        else
            state_undo(state);
    }
    is_good = is_good && start_again(state, &again, error);
    if (is_good)
        forget_ended(state);
    array_free(&again);
    free(status);
    free(tags);
    return is_good;
}

/* Tasks that somebody cancelled while they run. */
bool ending_cancel(struct state *state, struct error *error)
{
    double now = state_now(state);
    for (size_t i = 0; i < state->attempts.count; i++) {
        struct attempt *attempt = attempt_at(state, i);
        struct error why = {0};
        bool is_wanted = task_at(state, attempt->task)->is_cancelled;
        if (!is_wanted || now < attempt->asked_to_cancel + PATIENCE)
            continue;
        attempt->asked_to_cancel = now;
        state->kind->cancel(state->engine, attempt->tag, &why);
    }
    if (!(state->stale & stale_BLOCKS))
        return true;
    if (!ledger_begin(state->ledger, error))
        return false;
    state->stale &= ~(unsigned)stale_BLOCKS;
    if (block_others(state, error))
        return state_commit(state, error);
    state_undo(state);
    return false;
}
