#include "plan/schedule/pack/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool usable(const struct pack_host *host)
{
    return host->count && host->speed > 0 && isfinite(host->speed);
}

/* How many processors a task can have at most. */
static uint32_t room_for(const struct pack_problem *problem, const struct pack_task *task)
{
    uint64_t all = 0, one = 0;
    for (uint32_t h = 0; h < problem->host_count; h++)
        if (usable(&problem->hosts[h]) && case_allows(task, h)) {
            all += problem->hosts[h].count;
            one = problem->hosts[h].count > one ? problem->hosts[h].count : one;
        }
    return (uint32_t)(task->spans ? all : one);
}

static void *copied(struct arena *arena, const void *from, size_t size)
{
    void *copy = arena_get(arena, size ? size : 1);
    if (size)
        memcpy(copy, from, size);
    return copy;
}

static enum pack_fault copy_task(struct pack_case *the_case, struct pack_task *task,
                                 const struct pack_need *needs)
{
    struct pack_problem *problem = &the_case->problem;
    uint32_t room = room_for(problem, task);
    if (!task->least || task->least > task->most || task->least > room)
        return pack_FITS_NOWHERE;
    if (task->most > room)
        task->most = room;
    uint32_t counts = task->most - task->least + 1;
    if (!task->seconds || isnan(task->ready) || isnan(task->deadline))
        return pack_NO_TIME;
    for (uint32_t i = 0; i < counts; i++)
        if (!isfinite(task->seconds[i]) || task->seconds[i] < 0)
            return pack_NO_TIME;
    task->seconds = copied(&the_case->arena, task->seconds, counts * sizeof *task->seconds);
    if (task->fetch) {
        task->fetch = copied(&the_case->arena, task->fetch, problem->host_count * sizeof *task->fetch);
        the_case->fetches = true;
    }
    uint64_t *hosts = arena_get(&the_case->arena, the_case->host_words * sizeof *hosts);
    bool all = true;
    for (uint32_t h = 0; h < problem->host_count; h++) {
        bool may = usable(&problem->hosts[h]) && case_allows(task, h);
        hosts[h / 64] |= (uint64_t)may << h % 64;
        all = all && may;
    }
    task->hosts = all ? NULL : hosts;
    the_case->is_uniform = the_case->is_uniform && all;
    for (uint32_t i = 0; i < task->need_count; i++)
        if (needs[task->first_need + i].task >= problem->task_count)
            return pack_CYCLE;
    if (!isfinite(task->weight) || task->weight < 0)
        task->weight = 1;
    if (isnan(task->priority))
        task->priority = 0;
    if (task->ready < problem->now)
        task->ready = problem->now;
    return pack_FINE;
}

static void copy_hosts(struct pack_case *the_case, const struct pack_problem *problem)
{
    struct arena *arena = &the_case->arena;
    the_case->problem = *problem;
    the_case->problem.hosts = copied(arena, problem->hosts, problem->host_count * sizeof *problem->hosts);
    double *releases = copied(arena, problem->releases, problem->processor_count * sizeof *releases);
    the_case->problem.releases = releases;
    the_case->problem.holds = copied(arena, problem->holds, problem->hold_count * sizeof *problem->holds);
    for (uint32_t p = 0; p < problem->processor_count; p++)
        if (!(releases[p] > problem->now))
            releases[p] = problem->now;
    the_case->words = (problem->processor_count + 63) / 64;
    the_case->host_words = (problem->host_count + 63) / 64;
    the_case->host_of = arena_get(arena, (problem->processor_count + 1) * sizeof *the_case->host_of);
    the_case->listed = arena_get(arena, (problem->processor_count + 1) * sizeof *the_case->listed);
    for (uint32_t p = 0; p < problem->processor_count; p++)
        the_case->host_of[p] = UINT32_MAX;
    the_case->is_uniform = true;
    for (uint32_t h = 0; h < problem->host_count; h++) {
        const struct pack_host *host = &problem->hosts[h];
        for (uint32_t i = 0; i < host->count && usable(host); i++) {
            the_case->host_of[host->first + i] = h;
            the_case->listed[the_case->listed_count++] = host->first + i;
        }
        the_case->fastest = fmax(the_case->fastest, usable(host) ? host->speed : 0);
        if (host->speed != problem->hosts[0].speed)
            the_case->is_uniform = false;
    }
}

static double move_seconds(const struct pack_problem *problem, double bytes)
{
    if (!(problem->bytes_per_second > 0) || !(bytes > 0) || problem->host_count < 2)
        return 0;
    return fmax(0, problem->latency) + bytes / problem->bytes_per_second;
}

static void link_tasks(struct pack_case *the_case, const struct pack_problem *problem)
{
    uint32_t count = problem->task_count, all = 0;
    for (uint32_t t = 0; t < count; t++)
        all += problem->tasks[t].need_count;
    struct arena *arena = &the_case->arena;
    uint32_t *first_next = the_case->first_next = arena_get(arena, (count + 2) * sizeof *first_next);
    uint32_t *first_before = the_case->first_before = arena_get(arena, (count + 1) * sizeof *first_before);
    the_case->next = arena_get(arena, (all + 1) * sizeof *the_case->next);
    the_case->before = arena_get(arena, (all + 1) * sizeof *the_case->before);
    uint32_t used = 0;
    for (uint32_t t = 0; t < count; t++) {
        first_before[t] = used;
        for (uint32_t i = 0; i < problem->tasks[t].need_count; i++) {
            const struct pack_need *need = &problem->needs[problem->tasks[t].first_need + i];
            double move = move_seconds(problem, need->bytes);
            bool holds = problem->holds_while_moving;
            the_case->before[used++] = (struct pack_link){need->task, holds ? 0 : move, holds ? move : 0};
            the_case->moves = the_case->moves || (move > 0 && !holds);
            the_case->fetches = the_case->fetches || (move > 0 && holds);
            first_next[need->task + 2]++;
        }
    }
    first_before[count] = used;
    for (uint32_t t = 0; t < count; t++)
        first_next[t + 2] += first_next[t + 1];
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t i = first_before[t]; i < first_before[t + 1]; i++)
            the_case->next[first_next[the_case->before[i].task + 1]++] =
                (struct pack_link){t, the_case->before[i].move, the_case->before[i].fetch};
}

/* Where as many of the largest tasks as there are processors fit beside what runs, memory needs no care. */
static void find_memory(struct pack_case *the_case)
{
    const struct pack_problem *problem = &the_case->problem;
    double largest = 0;
    for (uint32_t t = 0; t < problem->task_count; t++)
        largest = fmax(largest, problem->tasks[t].memory);
    for (uint32_t h = 0; h < problem->host_count && largest > 0; h++) {
        double most = largest * problem->hosts[h].count;
        for (uint32_t i = 0; i < problem->hold_count; i++)
            most += problem->holds[i].host == h ? problem->holds[i].memory : 0;
        if (problem->hosts[h].memory > 0 && problem->hosts[h].memory < most)
            the_case->has_memory = true;
    }
}

/* Kahn's algorithm.  false: *bad is a task of a cycle. */
static bool sort_tasks(struct pack_case *the_case, uint32_t *order, uint32_t *bad)
{
    uint32_t count = the_case->problem.task_count, done = 0, filled = 0;
    uint32_t *missing = memory_get((count + 1) * sizeof *missing);
    for (uint32_t t = 0; t < count; t++) {
        missing[t] = the_case->first_before[t + 1] - the_case->first_before[t];
        if (!missing[t])
            order[filled++] = t;
    }
    for (; done < filled; done++)
        for (uint32_t i = the_case->first_next[order[done]]; i < the_case->first_next[order[done] + 1]; i++)
            if (!--missing[the_case->next[i].task])
                order[filled++] = the_case->next[i].task;
    if (filled < count) {
        /* From any task that is left, backwards over those that are left: sooner or later round a cycle. */
        uint32_t t = 0;
        while (!missing[t])
            t++;
        for (uint32_t steps = 0; steps < count; steps++)
            for (uint32_t i = the_case->first_before[t]; i < the_case->first_before[t + 1]; i++)
                if (missing[the_case->before[i].task]) {
                    t = the_case->before[i].task;
                    break;
                }
        *bad = t;
    }
    free(missing);
    return filled == count;
}

static int by_priority(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* Classes by priority, highest first; then the order again by class.  Priorities go up along needs before. */
static void find_classes(struct pack_case *the_case, const uint32_t *order)
{
    uint32_t count = the_case->problem.task_count;
    float *priority = memory_get((count + 1) * sizeof *priority),
          *sorted = memory_get((count + 1) * sizeof *sorted);
    for (uint32_t i = count; i--;) {
        uint32_t t = order[i];
        the_case->is_real[t] = !the_case->problem.tasks[t].is_speculative;
        priority[t] = the_case->problem.tasks[t].priority;
        for (uint32_t n = the_case->first_next[t]; n < the_case->first_next[t + 1]; n++) {
            uint32_t next = the_case->next[n].task;
            the_case->is_real[t] = the_case->is_real[t] || the_case->is_real[next];
            if (the_case->is_real[next])
                priority[t] = fmaxf(priority[t], priority[next]);
        }
    }
    uint32_t used = 0;
    for (uint32_t t = 0; t < count; t++)
        if (the_case->is_real[t])
            sorted[used++] = priority[t];
    qsort(sorted, used, sizeof *sorted, by_priority);
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < used; i++)
        if (!i || sorted[i] != sorted[kinds - 1])
            sorted[kinds++] = sorted[i];
    uint32_t *starts = memory_get((kinds + 3) * sizeof *starts);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t class = kinds;
        if (the_case->is_real[t]) {
            struct bisection search = {0, kinds};
            while (bisect(&search))
                bisect_past(&search, sorted[search.middle] > priority[t]);
            class = (uint32_t)search.first;
            the_case->real_count++;
            the_case->weights += the_case->problem.tasks[t].weight;
        }
        the_case->class_of[t] = class;
        starts[class + 1]++;
    }
    for (uint32_t c = 0; c <= kinds; c++)
        starts[c + 1] += starts[c];
    for (uint32_t i = 0; i < count; i++)
        the_case->topological[starts[the_case->class_of[order[i]]]++] = order[i];
    free(starts);
    free(sorted);
    free(priority);
}

static double fastest_for(const struct pack_case *the_case, const struct pack_task *task)
{
    if (!task->hosts)
        return the_case->fastest;
    double fastest = 0;
    for (uint32_t h = 0; h < the_case->problem.host_count; h++)
        if (case_allows(task, h))
            fastest = fmax(fastest, the_case->problem.hosts[h].speed);
    return fastest;
}

static void find_times(struct pack_case *the_case, const uint32_t *order)
{
    uint32_t count = the_case->problem.task_count;
    for (uint32_t t = 0; t < count; t++) {
        const struct pack_task *task = &the_case->problem.tasks[t];
        double speed = fastest_for(the_case, task);
        the_case->least_seconds[t] = the_case->least_work[t] = INFINITY;
        for (uint32_t n = task->least; n <= task->most; n++) {
            the_case->least_seconds[t] = fmin(the_case->least_seconds[t], case_seconds(task, n) / speed);
            the_case->least_work[t] = fmin(the_case->least_work[t], case_seconds(task, n) * n);
        }
        if (the_case->is_real[t])
            the_case->late_from = fmin(the_case->late_from, task->deadline);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = order[i];
        double head = the_case->problem.tasks[t].ready;
        for (uint32_t b = the_case->first_before[t]; b < the_case->first_before[t + 1]; b++) {
            uint32_t before = the_case->before[b].task;
            head = fmax(head, the_case->head[before] + the_case->least_seconds[before]);
        }
        the_case->head[t] = head;
    }
    for (uint32_t i = count; i--;) {
        uint32_t t = order[i];
        double tail = 0;
        for (uint32_t n = the_case->first_next[t]; n < the_case->first_next[t + 1]; n++)
            if (the_case->is_real[the_case->next[n].task] || !the_case->is_real[t])
                tail = fmax(tail, the_case->tail[the_case->next[n].task]);
        the_case->tail[t] = tail + the_case->least_seconds[t];
    }
}

/* No schedule ends much before this; NaN where all estimates are exact. */
static double find_target(const struct pack_case *the_case)
{
    static const double slack = 1.03;
    const struct pack_problem *problem = &the_case->problem;
    double work = 0, speeds = 0, longest = 0;
    bool has_any = false;
    for (uint32_t h = 0; h < problem->host_count; h++)
        speeds += (double)problem->hosts[h].speed * problem->hosts[h].count;
    for (uint32_t i = 0; i < the_case->listed_count; i++)
        work += (problem->releases[the_case->listed[i]] - problem->now) *
                problem->hosts[the_case->host_of[the_case->listed[i]]].speed;
    for (uint32_t t = 0; t < problem->task_count; t++)
        if (the_case->is_real[t]) {
            has_any = has_any || problem->tasks[t].spread > 0;
            work += the_case->least_work[t];
            longest = fmax(longest, the_case->head[t] - problem->now + the_case->tail[t]);
        }
    return has_any && speeds > 0 ? problem->now + slack * fmax(work / speeds, longest) : NAN;
}

enum pack_fault case_make(struct pack_case *the_case, const struct pack_problem *problem, uint32_t *bad)
{
    *the_case = (struct pack_case){.late_from = INFINITY, .all_span = true};
    uint32_t count = problem->task_count, ignored;
    bad = bad ? bad : &ignored;
    copy_hosts(the_case, problem);
    struct arena *arena = &the_case->arena;
    struct pack_task *tasks = copied(arena, problem->tasks, count * sizeof *tasks);
    the_case->problem.tasks = tasks;
    the_case->problem.needs = NULL; /* `before` has them */
    enum pack_fault fault = pack_FINE;
    for (uint32_t t = 0; t < count && fault == pack_FINE; t++) {
        *bad = t;
        fault = copy_task(the_case, &tasks[t], problem->needs);
        the_case->any_spans = the_case->any_spans || tasks[t].spans;
        the_case->all_span = the_case->all_span && tasks[t].spans;
    }
    uint32_t *order = arena_get(arena, (count + 1) * sizeof *order);
    if (fault == pack_FINE) {
        link_tasks(the_case, problem);
        find_memory(the_case);
        the_case->is_uniform = the_case->is_uniform && !the_case->has_memory && !the_case->fetches;
        fault = sort_tasks(the_case, order, bad) ? pack_FINE : pack_CYCLE;
    }
    if (fault != pack_FINE) {
        case_free(the_case);
        return fault;
    }
    the_case->topological = arena_get(arena, (count + 1) * sizeof *the_case->topological);
    the_case->class_of = arena_get(arena, (count + 1) * sizeof *the_case->class_of);
    the_case->is_real = arena_get(arena, count + 1);
    double **times[] = {&the_case->least_seconds, &the_case->least_work, &the_case->head, &the_case->tail};
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] = arena_get(arena, (count + 1) * sizeof **times[i]);
    find_classes(the_case, order);
    find_times(the_case, order);
    the_case->target = find_target(the_case);
    return pack_FINE;
}

void case_free(struct pack_case *the_case)
{
    arena_free(&the_case->arena);
    *the_case = (struct pack_case){0};
}
