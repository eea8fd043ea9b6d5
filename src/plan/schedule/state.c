/* The picture of the rows: workflows that are not done, their tasks, and the attempts that are under way. */
#include "plan/schedule/state.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double state_now(struct state *state)
{
    return state->kind->now(state->engine);
}

static const char *keep(struct state *state, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(arena_get(&state->texts, size), text, size);
}

uint32_t task_of_id(const struct state *state, int64_t id)
{
    struct bisection search = {0, state->tasks.count};
    while (bisect(&search))
        bisect_past(&search, task_at(state, search.middle)->id < id);
    bool is_there = search.first < state->tasks.count && task_at(state, search.first)->id == id;
    return is_there ? (uint32_t)search.first : UINT32_MAX;
}

bool task_is_ready(const struct state *state, const struct task *task)
{
    for (uint32_t i = 0; i < task->need_count; i++) {
        uint32_t needed = ARRAY_AT(struct task_need, &state->needs, task->first_need + i)->task;
        if (task_at(state, needed)->state != task_GONE)
            return false;
    }
    return true;
}

static uint32_t user_of_id(const struct state *state, int64_t id)
{
    for (size_t i = 0; i < state->users.count; i++)
        if (ARRAY_AT(struct workflow_user, &state->users, i)->id == id)
            return (uint32_t)i;
    return 0;
}

static uint32_t workflow_of_id(const struct state *state, int64_t id)
{
    struct bisection search = {0, state->workflows.count};
    while (bisect(&search))
        bisect_past(&search, ARRAY_AT(struct known_workflow, &state->workflows, search.middle)->id < id);
    return (uint32_t)search.first;
}

static bool load_workflows(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "load_users"), ""))
        return false;
    while (ledger_next(&rows))
        *(struct workflow_user *)array_add(&state->users) =
            (struct workflow_user){.id = ledger_integer(&rows, 0),
                                   .name = keep(state, ledger_text(&rows, 1)),
                                   .share = ledger_real(&rows, 2)};
    if (!ledger_end(&rows, error) ||
        !ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "load_workflows"), ""))
        return false;
    while (ledger_next(&rows))
        *(struct known_workflow *)array_add(&state->workflows) =
            (struct known_workflow){.id = ledger_integer(&rows, 0),
                                    .name = keep(state, ledger_text(&rows, 1)),
                                    .folder = keep(state, ledger_text(&rows, 2)),
                                    .user = user_of_id(state, ledger_integer(&rows, 3)),
                                    .submitted = ledger_real(&rows, 4),
                                    .deadline = ledger_real(&rows, 5),
                                    .is_speculative = ledger_integer(&rows, 6),
                                    .is_cancelled = ledger_integer(&rows, 7)};
    return ledger_end(&rows, error);
}

static void load_scaling(struct task *task, const char *text)
{
    struct error ignored = {0};
    unsigned column;
    if (!text || !scaling_declare(text, &task->scaling, &column, &ignored))
        scaling_declare("perfect", &task->scaling, &column, &ignored);
}

static double earliest(double left, double right)
{
    return isnan(left) ? right : isnan(right) ? left : left < right ? left : right;
}

static void load_task(struct state *state, const struct ledger_rows *row)
{
    struct task *task = array_add(&state->tasks);
    const char *word = ledger_text(row, 19);
    task->id = ledger_integer(row, 0);
    task->workflow = workflow_of_id(state, ledger_integer(row, 1));
    task->name = keep(state, ledger_text(row, 2));
    task->probe_of = ledger_integer(row, 3);
    task->command = keep(state, ledger_text(row, 4));
    task->least = (uint32_t)ledger_integer(row, 5);
    task->most = (uint32_t)ledger_integer(row, 6);
    task->spans = ledger_integer(row, 7);
    task->memory = ledger_real(row, 8);
    task->hosts = keep(state, ledger_text(row, 9));
    double deadline = earliest(ledger_real(row, 10), workflow_of(state, task)->deadline);
    task->deadline = isnan(deadline) || task->probe_of ? INFINITY : deadline;
    task->predictor = keep(state, ledger_text(row, 11));
    task->inputs = keep(state, ledger_text(row, 12));
    task->factor = ledger_real(row, 13);
    task->is_identity = ledger_integer(row, 14);
    load_scaling(task, ledger_text(row, 15));
    task->seconds = ledger_real(row, 16);
    task->lower = ledger_real(row, 17);
    task->upper = ledger_real(row, 18);
    task->state = !strcmp(word, "waiting")   ? task_WAITING
                  : !strcmp(word, "running") ? task_RUNNING
                                             : task_GONE;
    task->is_cancelled = !strcmp(word, "cancelled");
    task->estimate_from = keep(state, ledger_text(row, 20));
    task->tries = ledger_integer(row, 21);
    task->most_tries = ledger_integer(row, 22);
    task->simulated = ledger_real(row, 23);
}

static bool load_tasks(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "load_tasks"), ""))
        return false;
    while (ledger_next(&rows))
        load_task(state, &rows);
    return ledger_end(&rows, error);
}

static bool load_needs(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "load_needs"), ""))
        return false;
    while (ledger_next(&rows)) {
        uint32_t task = task_of_id(state, ledger_integer(&rows, 0));
        uint32_t needed = task_of_id(state, ledger_integer(&rows, 1));
        if (task == UINT32_MAX || needed == UINT32_MAX)
            continue;
        if (!task_at(state, task)->need_count++)
            task_at(state, task)->first_need = (uint32_t)state->needs.count;
        *(struct task_need *)array_add(&state->needs) = (struct task_need){needed, ledger_real(&rows, 2)};
    }
    return ledger_end(&rows, error);
}

static uint32_t host_of_id(const struct state *state, int64_t id)
{
    for (size_t i = 0; i < state->hosts.count; i++)
        if (host_at(state, i)->id == id)
            return (uint32_t)i;
    return UINT32_MAX;
}

static bool load_attempts(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    double now = state_now(state);
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "load_attempts"), "t",
                    state->kind->name))
        return false;
    while (ledger_next(&rows)) {
        struct attempt *attempt = array_add(&state->attempts);
        const char *word = ledger_text(&rows, 4);
        *attempt = (struct attempt){.id = ledger_integer(&rows, 0),
                                    .task = task_of_id(state, ledger_integer(&rows, 1)),
                                    .tag = keep(state, ledger_text(&rows, 2)),
                                    .processors = (uint32_t)ledger_integer(&rows, 3),
                                    .expected = ledger_real(&rows, 5),
                                    .asked = ledger_real(&rows, 6),
                                    .started = ledger_real(&rows, 7),
                                    .places = ARRAY_OF(struct place),
                                    .asked_to_cancel = NAN};
        attempt->state = *word == 'r' ? attempt_RUNNING : *word == 'q' ? attempt_QUEUED : attempt_STARTING;
        if (!(attempt->expected > 0))
            attempt->expected = 1;
        while (attempt->started + attempt->expected < now)
            attempt->expected *= 1.5;
        task_at(state, attempt->task)->attempt = (uint32_t)state->attempts.count;
    }
    if (!ledger_end(&rows, error) ||
        !ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "load_attempt_hosts"), "t",
                    state->kind->name))
        return false;
    while (ledger_next(&rows)) {
        int64_t id = ledger_integer(&rows, 0);
        uint32_t host = host_of_id(state, ledger_integer(&rows, 1));
        struct bisection search = {0, state->attempts.count};
        while (bisect(&search))
            bisect_past(&search, attempt_at(state, search.middle)->id < id);
        if (host != UINT32_MAX && search.first < state->attempts.count)
            *(struct place *)array_add(&attempt_at(state, search.first)->places) =
                (struct place){host, (uint32_t)ledger_integer(&rows, 2), (uint32_t)ledger_integer(&rows, 3)};
    }
    return ledger_end(&rows, error);
}

static void empty(struct state *state)
{
    for (size_t i = 0; i < state->tasks.count; i++) {
        scaling_free(&task_at(state, i)->scaling);
        predict_query_free(task_at(state, i)->query);
    }
    for (size_t i = 0; i < state->attempts.count; i++)
        array_free(&attempt_at(state, i)->places);
    array_free(&state->tasks);
    array_free(&state->needs);
    array_free(&state->workflows);
    array_free(&state->users);
    array_free(&state->attempts);
    arena_free(&state->texts);
}

/* What is known beyond the rows goes from the old picture into the new one. */
static void carry_over(struct state *state, struct state *old)
{
    for (size_t i = 0; i < old->tasks.count; i++) {
        struct task *before = task_at(old, i);
        uint32_t index = task_of_id(state, before->id);
        if (index == UINT32_MAX)
            continue;
        struct task *task = task_at(state, index);
        task->query = before->query;
        before->query = NULL;
        task->is_asked = before->is_asked;
        task->is_early = before->is_early;
        task->is_probing = before->is_probing;
        task->was_told_probes = before->was_told_probes;
        task->was_told_late = before->was_told_late;
        task->was_told_waiting = before->was_told_waiting;
        task->was_told_jump = before->was_told_jump;
        task->was_told_unfit = before->was_told_unfit;
        task->ready = before->ready;
    }
    for (size_t i = 0; i < old->attempts.count; i++)
        for (size_t j = 0; j < state->attempts.count; j++)
            if (attempt_at(old, i)->id == attempt_at(state, j)->id) {
                attempt_at(state, j)->is_ours = attempt_at(old, i)->is_ours;
                attempt_at(state, j)->asked_to_cancel = attempt_at(old, i)->asked_to_cancel;
            }
}

static void begin(struct state *state)
{
    state->texts = (struct arena){0};
    state->tasks = ARRAY_OF(struct task);
    state->needs = ARRAY_OF(struct task_need);
    state->workflows = ARRAY_OF(struct known_workflow);
    state->users = ARRAY_OF(struct workflow_user);
    state->attempts = ARRAY_OF(struct attempt);
}

bool state_load(struct state *state, struct error *error)
{
    struct state old = *state;
    begin(state);
    bool is_good = load_workflows(state, error) && load_tasks(state, error) && load_needs(state, error) &&
                   load_attempts(state, error);
    if (!is_good) {
        empty(state);
        *state = old;
        return false;
    }
    carry_over(state, &old);
    empty(&old);
    state_hold(state);
    state->stale = stale_PLAN | stale_NUMBERS | stale_BLOCKS;
    return true;
}

void state_hold(struct state *state)
{
    uint32_t count = 0;
    for (size_t i = 0; i < state->hosts.count; i++) {
        host_at(state, i)->first = count;
        count += host_at(state, i)->processors;
    }
    free(state->holders);
    state->holders = memory_get((count + 1) * sizeof *state->holders);
    state->processor_count = count;
    for (size_t i = 0; i < state->attempts.count; i++) {
        const struct attempt *attempt = attempt_at(state, i);
        for (size_t j = 0; j < attempt->places.count && !attempt->is_over; j++) {
            const struct place *place = ARRAY_AT(struct place, &attempt->places, j);
            const struct host *host = host_at(state, place->host);
            for (uint32_t n = 0; n < place->count && place->first + n < host->processors; n++)
                state->holders[host->first + place->first + n] = (uint32_t)i + 1;
        }
    }
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        uint32_t taken = host->taken;
        for (uint32_t n = host->processors; taken && n-- > 0;)
            if (!state->holders[host->first + n]) {
                state->holders[host->first + n] = UINT32_MAX;
                taken--;
            }
    }
}

void state_free(struct state *state)
{
    empty(state);
    estimates_free(state);
    surroundings_free(state);
    array_free(&state->told);
    for (size_t i = 0; i < state->hosts.count; i++)
        free(host_at(state, i)->name);
    array_free(&state->hosts);
    free(state->holders);
}
