/* A problem for the packer, from the picture: hosts that are up, when each of their processors will be free,
   and the tasks that wait. */
#include "plan/schedule/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double attempt_patience(const struct attempt *attempt)
{
    return 1.1 * attempt->expected + 1;
}

double attempt_end(struct state *state, const struct attempt *attempt, double now)
{
    double begin =
        isnan(attempt->started) ? fmax(attempt->asked + state->wait + attempt->fetch, now) : attempt->started;
    double end = begin + attempt->expected;
    return end > now + 0.001 ? end : now + 0.001;
}

/* hosts = a, b: whether a name is in such a list. */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at;) {
        at += strspn(at, ", \t");
        size_t size = strcspn(at, ", \t");
        if (size == length && !strncmp(at, name, length))
            return true;
        at += size;
    }
    return false;
}

static bool is_usable(const struct host *host)
{
    return !host->is_gone && host->state == engine_host_UP && host->processors;
}

static bool may_run_on(const struct task *task, const struct host *host)
{
    return (!task->hosts || is_listed(task->hosts, host->name)) &&
           (isnan(task->memory) || isnan(host->memory) || task->memory <= host->memory);
}

char *task_unfit_reason(const struct state *state, const struct task *task)
{
    uint32_t largest = 0, all = 0, named = 0, up = 0;
    double memory = 0;
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        if (!is_usable(host))
            continue;
        up++;
        if (task->hosts && !is_listed(task->hosts, host->name))
            continue;
        named++;
        memory = isnan(host->memory) || host->memory > memory ? host->memory : memory;
        if (!may_run_on(task, host))
            continue;
        all += host->processors;
        largest = host->processors > largest ? host->processors : largest;
    }
    if ((task->spans ? all : largest) >= task->least)
        return NULL;
    if (!up)
        return memory_format("no host is up");
    if (!named)
        return memory_format("none of its hosts (%s) is up", task->hosts);
    if (!all)
        return memory_format("it needs %.0f MB of memory, and no host has more than %.0f MB",
                             task->memory / 1048576, memory / 1048576);
    if (task->spans)
        return memory_format("it needs %u processors, and all hosts together have %u", task->least, all);
    return memory_format("it needs %u processors of one host, and the largest host has %u", task->least,
                         largest);
}

bool task_waits_for_hosts(const struct state *state, const struct task *task)
{
    uint32_t largest = 0, all = 0;
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        if (host->is_gone || !may_run_on(task, host))
            continue;
        all += host->processors;
        largest = host->processors > largest ? host->processors : largest;
    }
    return (task->spans ? all : largest) >= task->least;
}

/* Tasks of the problem: 1 and more in `numbers`, by task of the state. */
static void choose_tasks(struct state *state, struct problem *problem, uint32_t *numbers)
{
    bool has_changed = true;
    bool *is_out = memory_get(state->tasks.count + 1);
    for (size_t i = 0; i < state->tasks.count; i++) {
        struct task *task = task_at(state, i);
        is_out[i] = task->state != task_WAITING || workflow_of(state, task)->is_cancelled;
        if (is_out[i])
            continue;
        if (!task->is_checked) {
            char *reason = task_unfit_reason(state, task);
            task->is_unfit = reason;
            task->is_checked = true;
            free(reason);
        }
        is_out[i] = task->is_unfit;
    }
    while (has_changed) { /* who needs what cannot run cannot run either */
        has_changed = false;
        for (size_t i = 0; i < state->tasks.count; i++) {
            const struct task *task = task_at(state, i);
            for (uint32_t j = 0; j < task->need_count && !is_out[i]; j++) {
                uint32_t needed = ARRAY_AT(struct task_need, &state->needs, task->first_need + j)->task;
                if (task_at(state, needed)->state == task_WAITING && is_out[needed])
                    has_changed = is_out[i] = true;
            }
        }
    }
    for (size_t i = 0; i < state->users.count; i++)
        ARRAY_AT(struct workflow_user, &state->users, i)->waiting = 0;
    for (size_t i = 0; i < state->tasks.count; i++)
        if (!is_out[i]) {
            *(uint32_t *)array_push(&problem->tasks) = (uint32_t)i;
            numbers[i] = (uint32_t)problem->tasks.count;
            ARRAY_AT(struct workflow_user, &state->users, workflow_of(state, task_at(state, i))->user)
                ->waiting++;
        }
    free(is_out);
}

static void add_hosts(struct state *state, struct problem *problem, double now)
{
    struct pack_host *hosts = arena_get(&problem->arena, (state->hosts.count + 1) * sizeof *hosts);
    double *releases = arena_get(&problem->arena, (state->processor_count + 1) * sizeof *releases);
    uint32_t count = 0, processors = 0;
    static const double others = 60; /* nobody knows how long work of others takes */
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        if (!is_usable(host))
            continue;
        hosts[count++] = (struct pack_host){.key = (uint64_t)host->id,
                                            .first = processors,
                                            .count = host->processors,
                                            .speed = (float)(host->speed * host->share),
                                            .memory = host->memory > 0 ? host->memory : 0};
        for (uint32_t n = 0; n < host->processors; n++) {
            uint32_t holder = state->holders[host->first + n];
            releases[processors++] = !holder ? now
                                     : holder == UINT32_MAX
                                         ? now + others
                                         : attempt_end(state, attempt_at(state, holder - 1), now);
            *(uint32_t *)array_push(&problem->processors) = host->first + n;
        }
    }
    problem->pack.hosts = hosts;
    problem->pack.host_count = count;
    problem->pack.releases = releases;
    problem->pack.processor_count = processors;
}

/* A user's share counts for all of the user's tasks together, so that many tasks do not outweigh few. */
static float weight_of(const struct state *state, const struct problem *problem,
                       const struct known_workflow *workflow)
{
    double shares = 0;
    for (size_t i = 0; i < state->users.count; i++) {
        const struct workflow_user *user = ARRAY_AT(struct workflow_user, &state->users, i);
        shares += user->waiting ? user->share : 0;
    }
    const struct workflow_user *user = ARRAY_AT(struct workflow_user, &state->users, workflow->user);
    double weight =
        shares > 0 && user->waiting ? user->share / shares * (double)problem->tasks.count / user->waiting : 1;
    return (float)fmin(fmax(weight, 0.001), 1000);
}

static const uint64_t *allowed_hosts(const struct state *state, struct problem *problem,
                                     const struct task *task)
{
    if (!task->hosts && isnan(task->memory))
        return NULL;
    uint64_t *bits = arena_get(&problem->arena, (problem->pack.host_count / 64 + 1) * sizeof *bits);
    uint32_t number = 0;
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        if (!is_usable(host))
            continue;
        if (may_run_on(task, host))
            bits[number / 64] |= (uint64_t)1 << number % 64;
        number++;
    }
    return bits;
}

/* The typical error of an estimate, as a part of it: 90 % of truths are within its interval, 1.645 standard
   deviations of the logarithm to each side. */
static float spread_of(const struct task *task)
{
    static const double declared = 0.1, guessed = 0.8; /* where there is no interval */
    if (task->probe_of)
        return 0;
    if (task->lower > 0 && task->upper > task->lower)
        return (float)fmin(log(task->upper / task->lower) / (2 * 1.645), 1);
    return (float)(!strcmp(task->estimate_from, "declared") ? declared : guessed);
}

static void add_task(struct state *state, struct problem *problem, struct pack_task *out, uint32_t index,
                     const uint32_t *numbers)
{
    const struct task *task = task_at(state, index);
    const struct known_workflow *workflow = workflow_of(state, task);
    uint32_t most = task->most < problem->pack.processor_count ? task->most : problem->pack.processor_count;
    most = most < task->least ? task->least : most;
    float *seconds = arena_get(&problem->arena, (most - task->least + 1) * sizeof *seconds);
    for (uint32_t n = task->least; n <= most; n++)
        seconds[n - task->least] = (float)task_seconds(state, task, n);
    *out = (struct pack_task){.key = (uint64_t)task->id,
                              .ready = fmax(task->ready, problem->pack.now),
                              .deadline = task->deadline,
                              .weight = weight_of(state, problem, workflow),
                              .spread = spread_of(task),
                              .priority = task->probe_of ? 1 : 0,
                              .is_speculative = workflow->is_speculative,
                              .spans = task->spans,
                              .least = task->least,
                              .most = most,
                              .seconds = seconds,
                              .first_need = (uint32_t)problem->needs.count,
                              .memory = task->memory > 0 ? task->memory : 0,
                              .hosts = allowed_hosts(state, problem, task)};
    for (uint32_t j = 0; j < task->need_count; j++) {
        const struct task_need *need = ARRAY_AT(struct task_need, &state->needs, task->first_need + j);
        const struct task *needed = task_at(state, need->task);
        if (numbers[need->task]) {
            *(struct pack_need *)array_push(&problem->needs) =
                (struct pack_need){numbers[need->task] - 1, (float)need->bytes};
            out->need_count++;
        } else if (needed->state == task_RUNNING && needed->attempt) {
            double end = attempt_end(state, attempt_at(state, needed->attempt - 1), problem->pack.now);
            out->ready = fmax(out->ready, end);
        } else if (needed->state == task_RUNNING) {
            out->ready = fmax(out->ready, problem->pack.now + task_seconds(state, needed, needed->least));
        }
    }
}

/* Memory of what runs, by number of a host in the problem. */
static void add_holds(struct state *state, struct problem *problem)
{
    struct array holds = ARRAY_OF(struct pack_hold);
    for (size_t i = 0; i < state->attempts.count; i++) {
        const struct attempt *attempt = attempt_at(state, i);
        double memory = task_at(state, attempt->task)->memory;
        for (size_t k = 0; k < attempt->places.count && memory > 0 && !attempt->is_over; k++) {
            const struct host *host = host_at(state, ARRAY_AT(struct place, &attempt->places, k)->host);
            bool is_known = k && ARRAY_AT(struct place, &attempt->places, k - 1)->host ==
                                     ARRAY_AT(struct place, &attempt->places, k)->host;
            for (uint32_t h = 0; h < problem->pack.host_count && !is_known; h++)
                if (problem->pack.hosts[h].key == (uint64_t)host->id)
                    *(struct pack_hold *)array_add(&holds) =
                        (struct pack_hold){h, attempt_end(state, attempt, problem->pack.now), memory};
        }
    }
    struct pack_hold *copy = arena_get(&problem->arena, (holds.count + 1) * sizeof *copy);
    for (size_t i = 0; i < holds.count; i++)
        copy[i] = *ARRAY_AT(struct pack_hold, &holds, i);
    problem->pack.holds = copy;
    problem->pack.hold_count = (uint32_t)holds.count;
    array_free(&holds);
}

void problem_make(struct state *state, struct problem *problem)
{
    *problem = (struct problem){
        .needs = ARRAY_OF(struct pack_need), .tasks = ARRAY_OF(uint32_t), .processors = ARRAY_OF(uint32_t)};
    problem->pack.now = state_now(state);
    uint32_t *numbers = memory_get((state->tasks.count + 1) * sizeof *numbers);
    choose_tasks(state, problem, numbers);
    add_hosts(state, problem, problem->pack.now);
    struct pack_task *tasks = arena_get(&problem->arena, (problem->tasks.count + 1) * sizeof *tasks);
    for (size_t i = 0; i < problem->tasks.count; i++)
        add_task(state, problem, &tasks[i], *ARRAY_AT(uint32_t, &problem->tasks, i), numbers);
    add_holds(state, problem);
    locality_add(state, problem, tasks, numbers);
    free(numbers);
    problem->pack.overhead = state->wait;
    problem->pack.tasks = tasks;
    problem->pack.task_count = (uint32_t)problem->tasks.count;
    problem->pack.needs = problem->needs.data;
}

void problem_free(struct problem *problem)
{
    array_free(&problem->needs);
    array_free(&problem->tasks);
    array_free(&problem->processors);
    arena_free(&problem->arena);
}
