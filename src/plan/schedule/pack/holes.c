#include "plan/schedule/pack/holes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_time(struct holes *holes, double time)
{
    struct array *times = &holes->times;
    struct bisection search = {0, times->count};
    while (bisect(&search))
        bisect_past(&search, *ARRAY_AT(double, times, search.middle) < time);
    if (search.first < times->count && *ARRAY_AT(double, times, search.first) == time)
        return;
    array_add(times);
    double *at = ARRAY_AT(double, times, search.first);
    memmove(at + 1, at, (times->count - 1 - search.first) * sizeof *at);
    *at = time;
}

static void add_interval(struct array *busy, double begin, double end)
{
    if (!(end > begin))
        return;
    struct bisection search = {0, busy->count};
    while (bisect(&search))
        bisect_past(&search, ARRAY_AT(struct hole_interval, busy, search.middle)->begin < begin);
    array_add(busy);
    struct hole_interval *at = ARRAY_AT(struct hole_interval, busy, search.first);
    memmove(at + 1, at, (busy->count - 1 - search.first) * sizeof *at);
    *at = (struct hole_interval){begin, end};
}

void holes_make(struct holes *holes, const struct pack_case *the_case)
{
    const struct pack_problem *problem = &the_case->problem;
    *holes = (struct holes){.the_case = the_case, .times = ARRAY_OF(double)};
    holes->busy = memory_get((problem->processor_count + 1) * sizeof *holes->busy);
    holes->chosen = memory_get((problem->processor_count + 1) * sizeof *holes->chosen);
    holes->free_from = memory_get((problem->processor_count + 1) * sizeof *holes->free_from);
    add_time(holes, problem->now);
    for (uint32_t p = 0; p < problem->processor_count; p++) {
        holes->busy[p] = ARRAY_OF(struct hole_interval);
        add_interval(&holes->busy[p], problem->now, problem->releases[p]);
        add_time(holes, problem->releases[p]);
    }
}

void holes_free(struct holes *holes)
{
    for (uint32_t p = 0; p < holes->the_case->problem.processor_count; p++)
        array_free(&holes->busy[p]);
    free(holes->busy);
    free(holes->chosen);
    free(holes->free_from);
    array_free(&holes->times);
}

void holes_add(struct holes *holes, const struct plan *plan, uint32_t task)
{
    const uint64_t *set = plan_set(plan, task);
    for (uint32_t word = 0; word < plan->words; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1)
            add_interval(&holes->busy[word * 64 + (uint32_t)__builtin_ctzll(bits)], plan->begins[task],
                         plan->ends[task]);
    add_time(holes, plan->ends[task]);
}

/* Whether a processor is free all that time, and since when. */
static bool is_free(const struct holes *holes, uint32_t p, double begin, double end, double *since)
{
    const struct array *busy = &holes->busy[p];
    struct bisection search = {0, busy->count};
    while (bisect(&search))
        bisect_past(&search, ARRAY_AT(struct hole_interval, busy, search.middle)->end <= begin);
    *since = search.first ? ARRAY_AT(struct hole_interval, busy, search.first - 1)->end : -INFINITY;
    return search.first == busy->count || ARRAY_AT(struct hole_interval, busy, search.first)->begin >= end;
}

/* n processors of hosts first … last-1 that are free from then on for so long; false: fewer are.  Those that
   became free last come first. */
static bool choose(struct holes *holes, const struct pack_task *task, uint32_t first, uint32_t last,
                   uint32_t n, double slowest, double begin, double end)
{
    const struct pack_problem *problem = &holes->the_case->problem;
    uint32_t found = 0;
    for (uint32_t h = first; h < last; h++) {
        if (!case_allows(task, h) || problem->hosts[h].speed < slowest)
            continue;
        for (uint32_t p = problem->hosts[h].first; p < problem->hosts[h].first + problem->hosts[h].count;
             p++) {
            double since;
            if (!is_free(holes, p, begin, end, &since))
                continue;
            uint32_t place = found < n ? found++ : n;
            if (place == n) {
                if (holes->free_from[n - 1] >= since)
                    continue;
                place = n - 1;
            }
            for (; place && holes->free_from[place - 1] < since; place--) {
                holes->free_from[place] = holes->free_from[place - 1];
                holes->chosen[place] = holes->chosen[place - 1];
            }
            holes->free_from[place] = since;
            holes->chosen[place] = p;
        }
    }
    return found == n;
}

static double ready_with(const struct pack_case *the_case, const struct plan *plan, uint32_t t, uint32_t host)
{
    double ready = the_case->problem.tasks[t].ready;
    for (uint32_t b = the_case->first_before[t]; b < the_case->first_before[t + 1]; b++) {
        const struct pack_link *link = &the_case->before[b];
        double end = plan->ends[link->task];
        bool is_here = false;
        if (host != UINT32_MAX && link->move > 0) {
            const struct pack_host *where = &the_case->problem.hosts[host];
            for (uint32_t p = where->first; p < where->first + where->count; p++)
                is_here = is_here || (plan_set(plan, link->task)[p / 64] >> p % 64 & 1);
        }
        ready = fmax(ready, end + (is_here ? 0 : link->move));
    }
    return ready;
}

/* The earliest end on these hosts, if it is before *best. */
static void try_hosts(struct holes *holes, struct plan *plan, uint32_t t, uint32_t first, uint32_t last,
                      double speed, double least, double *best)
{
    const struct pack_task *task = &holes->the_case->problem.tasks[t];
    uint32_t n = plan->size[t];
    double ready = fmax(least, ready_with(holes->the_case, plan, t, last == first + 1 ? first : UINT32_MAX));
    double seconds = case_seconds(task, n) / speed + holes->the_case->problem.overhead;
    struct bisection search = {0, holes->times.count};
    while (bisect(&search))
        bisect_past(&search, *ARRAY_AT(double, &holes->times, search.middle) <= ready);
    double begin = ready;
    for (size_t i = search.first;; i++) {
        if (begin + seconds >= *best)
            return;
        if (choose(holes, task, first, last, n, speed, begin, begin + seconds))
            break;
        if (i == holes->times.count)
            return;
        begin = *ARRAY_AT(double, &holes->times, i);
    }
    *best = begin + seconds;
    plan->begins[t] = begin;
    plan->ends[t] = begin + seconds;
    uint64_t *set = plan_set(plan, t);
    memset(set, 0, plan->words * sizeof *set);
    for (uint32_t i = 0; i < n; i++)
        set[holes->chosen[i] / 64] |= (uint64_t)1 << holes->chosen[i] % 64;
}

bool holes_place(struct holes *holes, struct plan *plan, uint32_t t, double least)
{
    const struct pack_problem *problem = &holes->the_case->problem;
    const struct pack_task *task = &problem->tasks[t];
    double best = INFINITY;
    uint32_t seat = plan->seat[t], n = plan->size[t];
    for (uint32_t h = 0; h < problem->host_count; h++)
        if (case_allows(task, h) && problem->hosts[h].count >= n && (seat == SEAT_ANY || seat == h))
            try_hosts(holes, plan, t, h, h + 1, problem->hosts[h].speed, least, &best);
    if (!task->spans || seat != SEAT_ANY)
        return best < INFINITY;
    for (double tried = INFINITY;;) {
        double speed = 0;
        for (uint32_t h = 0; h < problem->host_count; h++)
            if (case_allows(task, h) && problem->hosts[h].speed < tried)
                speed = fmax(speed, problem->hosts[h].speed);
        if (speed == 0)
            return best < INFINITY;
        try_hosts(holes, plan, t, 0, problem->host_count, speed, least, &best);
        tried = speed;
    }
}
