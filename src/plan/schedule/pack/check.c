/* Whether a schedule keeps all rules: written apart from the packer, straight from what pack.h promises, so
   that it does not share mistakes with it. */
#include "base/memory.h"
#include "plan/schedule/pack/pack.h"

#include <math.h>
#include <stdlib.h>

static const double slack = 1e-6; /* seconds, and share of a time */

static bool before(double a, double b)
{
    return a < b - slack - 1e-9 * fabs(b);
}

static uint32_t host_of(const struct pack_problem *problem, uint32_t processor)
{
    for (uint32_t h = 0; h < problem->host_count; h++)
        if (processor >= problem->hosts[h].first &&
            processor < problem->hosts[h].first + problem->hosts[h].count)
            return h;
    return UINT32_MAX;
}

static bool is_on(const struct pack_problem *problem, const struct pack_schedule *schedule,
                  const struct pack_placed *placed, uint32_t host)
{
    for (uint32_t i = 0; i < placed->count; i++)
        if (host_of(problem, schedule->processors[placed->first + i]) == host)
            return true;
    return false;
}

/* Speculative tasks are never started: where their data and memory are is not looked at. */
static double fetch_seconds(const struct pack_problem *problem, const struct pack_schedule *schedule,
                            const struct pack_placed *const *by_task, const struct pack_placed *placed)
{
    const struct pack_task *task = &problem->tasks[placed->task];
    uint32_t first = UINT32_MAX;
    if (task->is_speculative)
        return 0;
    for (uint32_t i = 0; i < placed->count; i++)
        if (schedule->processors[placed->first + i] < first)
            first = schedule->processors[placed->first + i];
    uint32_t host = host_of(problem, first);
    double seconds = task->fetch ? task->fetch[host] : 0;
    for (uint32_t i = 0; i < task->need_count && problem->holds_while_moving; i++) {
        const struct pack_need *need = &problem->needs[task->first_need + i];
        if (need->bytes > 0 && problem->bytes_per_second > 0 && problem->host_count > 1 &&
            !is_on(problem, schedule, by_task[need->task], host))
            seconds += fmax(0, problem->latency) + need->bytes / problem->bytes_per_second;
    }
    return seconds;
}

/* When a task begins, all that runs then fits on each of its hosts. */
static char *check_memory(const struct pack_problem *problem, const struct pack_schedule *schedule,
                          const struct pack_placed *placed)
{
    for (uint32_t h = 0; h < problem->host_count; h++) {
        double sum = 0, largest = problem->tasks[placed->task].memory;
        if (!(problem->hosts[h].memory > 0) || !(largest > 0) ||
            problem->tasks[placed->task].is_speculative || !is_on(problem, schedule, placed, h))
            continue;
        for (uint32_t i = 0; i < problem->hold_count; i++)
            if (problem->holds[i].host == h && before(placed->begins, problem->holds[i].until))
                sum += problem->holds[i].memory;
        for (uint32_t i = 0; i < schedule->count; i++) {
            const struct pack_placed *other = &schedule->placed[i];
            const struct pack_task *task = &problem->tasks[other->task];
            if (!task->is_speculative && !before(placed->begins, other->begins) &&
                before(placed->begins, other->ends) && is_on(problem, schedule, other, h))
                sum += task->memory;
        }
        if (sum > problem->hosts[h].memory * (1 + 1e-6) && sum > largest)
            return memory_format("task %u begins with %g of memory in use on host %u, which has %g",
                                 placed->task, sum, h, problem->hosts[h].memory);
    }
    return NULL;
}

static char *check_place(const struct pack_problem *problem, const struct pack_schedule *schedule,
                         const struct pack_placed *const *by_task, const struct pack_placed *placed)
{
    const struct pack_task *task = &problem->tasks[placed->task];
    double speed = INFINITY;
    uint32_t first_host = UINT32_MAX;
    if (placed->count < task->least || placed->count > task->most)
        return memory_format("task %u has %u processors", placed->task, placed->count);
    for (uint32_t i = 0; i < placed->count; i++) {
        uint32_t p = schedule->processors[placed->first + i], host = host_of(problem, p);
        if (host == UINT32_MAX)
            return memory_format("task %u is on processor %u, which no host has", placed->task, p);
        if (task->hosts && !(task->hosts[host / 64] >> host % 64 & 1))
            return memory_format("task %u must not be on host %u", placed->task, host);
        if (i && !task->spans && host != first_host)
            return memory_format("task %u is on hosts %u and %u", placed->task, first_host, host);
        first_host = host;
        speed = fmin(speed, problem->hosts[host].speed);
        if (before(placed->begins, problem->releases[p]))
            return memory_format("task %u begins before processor %u is free", placed->task, p);
        for (uint32_t k = 0; k < i; k++)
            if (schedule->processors[placed->first + k] == p)
                return memory_format("task %u has processor %u twice", placed->task, p);
    }
    double seconds = task->seconds[placed->count - task->least] / speed + problem->overhead +
                     fetch_seconds(problem, schedule, by_task, placed);
    if (before(placed->ends - placed->begins, seconds) || before(seconds, placed->ends - placed->begins))
        return memory_format("task %u takes %g s, not %g s", placed->task, placed->ends - placed->begins,
                             seconds);
    if (before(placed->begins, fmax(task->ready, problem->now)))
        return memory_format("task %u begins before it is ready", placed->task);
    return NULL;
}

struct use {
    uint32_t processor, task;
    double begins, ends;
};

static int by_use(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->processor != y->processor)
        return x->processor < y->processor ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins < y->begins ? -1 : 1;
    return (x->ends > y->ends) - (x->ends < y->ends);
}

static char *check_uses(const struct pack_schedule *schedule)
{
    struct array uses = ARRAY_OF(struct use);
    char *fault = NULL;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const struct pack_placed *placed = &schedule->placed[i];
        for (uint32_t k = 0; k < placed->count; k++)
            *(struct use *)array_add(&uses) = (struct use){schedule->processors[placed->first + k],
                                                           placed->task, placed->begins, placed->ends};
    }
    if (uses.count)
        qsort(uses.data, uses.count, sizeof(struct use), by_use);
    for (size_t i = 1; i < uses.count && !fault; i++) {
        const struct use *a = ARRAY_AT(struct use, &uses, i - 1), *b = ARRAY_AT(struct use, &uses, i);
        if (a->processor == b->processor && before(b->begins, a->ends))
            fault = memory_format("tasks %u and %u are both on processor %u", a->task, b->task, a->processor);
    }
    array_free(&uses);
    return fault;
}

static bool share_a_host(const struct pack_problem *problem, const struct pack_schedule *schedule,
                         const struct pack_placed *a, const struct pack_placed *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (host_of(problem, schedule->processors[a->first + i]) ==
                host_of(problem, schedule->processors[b->first + k]))
                return true;
    return false;
}

static char *check_needs(const struct pack_problem *problem, const struct pack_schedule *schedule,
                         const struct pack_placed *const *by_task, const struct pack_placed *placed)
{
    const struct pack_task *task = &problem->tasks[placed->task];
    for (uint32_t i = 0; i < task->need_count; i++) {
        const struct pack_need *need = &problem->needs[task->first_need + i];
        const struct pack_placed *needed = by_task[need->task];
        double end = needed->ends;
        if (problem->bytes_per_second > 0 && need->bytes > 0 && !problem->holds_while_moving &&
            !share_a_host(problem, schedule, needed, placed))
            end += fmax(0, problem->latency) + need->bytes / problem->bytes_per_second;
        if (before(placed->begins, end))
            return memory_format("task %u begins before task %u has ended", placed->task, need->task);
    }
    return NULL;
}

static char *check_figures(const struct pack_problem *problem, const struct pack_schedule *schedule)
{
    double end = problem->now, late = 0;
    bool any = false;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const struct pack_placed *placed = &schedule->placed[i];
        if (problem->tasks[placed->task].is_speculative) {
            any = true;
            continue;
        }
        end = fmax(end, placed->ends);
        late += fmax(0, placed->ends - problem->tasks[placed->task].deadline);
    }
    /* A speculative task that a real one needs counts, so that these figures are only least ones then. */
    if (before(schedule->makespan, end - problem->now) ||
        (!any && before(end - problem->now, schedule->makespan)))
        return memory_format("makespan %g is not %g", schedule->makespan, end - problem->now);
    if (before(schedule->late, late) || (!any && before(late, schedule->late)))
        return memory_format("late %g is not %g", schedule->late, late);
    return NULL;
}

char *pack_check(const struct pack_problem *problem, const struct pack_schedule *schedule)
{
    const struct pack_placed **by_task = memory_get((problem->task_count + 1) * sizeof *by_task);
    char *fault = NULL;
    if (schedule->count != problem->task_count)
        fault = memory_format("%u tasks of %u", schedule->count, problem->task_count);
    for (uint32_t i = 0; i < schedule->count && !fault; i++) {
        const struct pack_placed *placed = &schedule->placed[i];
        if (placed->task >= problem->task_count || by_task[placed->task])
            fault = memory_format("task %u is there twice or does not exist", placed->task);
        else if (i && before(placed->begins, schedule->placed[i - 1].begins))
            fault = memory_format("task %u is not in the order of beginnings", placed->task);
        else
            by_task[placed->task] = placed;
    }
    for (uint32_t i = 0; i < schedule->count && !fault; i++)
        fault = check_place(problem, schedule, by_task, &schedule->placed[i]);
    for (uint32_t i = 0; i < schedule->count && !fault; i++)
        fault = check_needs(problem, schedule, by_task, &schedule->placed[i]);
    if (!fault)
        fault = check_uses(schedule);
    for (uint32_t i = 0; i < schedule->count && !fault; i++)
        fault = check_memory(problem, schedule, &schedule->placed[i]);
    if (!fault)
        fault = check_figures(problem, schedule);
    free(by_task);
    return fault;
}
