/* How likely a planned end is. A plan takes each estimate for true; an alarm does not: it needs an end that
   is late even if things go well, so that three of four such alarms are right.

   Things go well: each task takes the time that one of four tasks like it stay below, and others leave a
   busy host half as busy (by the logarithm) as they are expected to. About a task of which nothing is
   known, anything from a tenth of a second to ten hours is possible; what other tasks took makes that
   interval narrower, slowly. The plan keeps its order and its processors, and everything in it moves
   forward as far as it then can. */
#include "plan/schedule/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 90 % of truths are within an interval: that many standard deviations of the logarithm wide. One of four
   is below the estimate by LOWER_QUARTER of one. */
static const double WIDTH = 2 * 1.645, LOWER_QUARTER = 0.6745;
static const double shortest = 0.1, longest = 36000, declared = 0.1, of_many = 0.8;

bool task_is_unknown(const struct task *task)
{
    return !task->probe_of && !strcmp(task->estimate_from, "mean");
}

static double deviation(const struct state *state, const struct task *task)
{
    if (task->probe_of)
        return 0;
    if (task->lower > 0 && task->upper > task->lower)
        return log(task->upper / task->lower) / WIDTH;
    if (!task_is_unknown(task))
        return declared;
    return fmax(of_many, log(longest / shortest) / WIDTH / sqrt(1 + state->mean_count));
}

static double good_part(const struct state *state, const struct task *task)
{
    return exp(-LOWER_QUARTER * deviation(state, task));
}

/* The part of what was planned that an attempt takes if others leave its busiest host half as busy. */
static double less_busy(const struct state *state, const struct array *places)
{
    double share = 1;
    for (size_t i = 0; i < places->count; i++)
        share = fmin(share, host_at(state, ARRAY_AT(struct place, places, i)->host)->share);
    return sqrt(fmax(share, 0));
}

static double good_end(struct state *state, const struct attempt *attempt, double now)
{
    double end = attempt_end(state, attempt, now);
    double begin = isnan(attempt->started) ? now : attempt->started;
    double part = good_part(state, task_at(state, attempt->task)) * less_busy(state, &attempt->places);
    return fmax(now, begin + (end - begin) * part);
}

/* Of the tasks that it needs and that run now. */
static double good_start(struct state *state, const struct problem *problem, const struct task *task)
{
    double now = problem->pack.now, ready = fmax(now, task->ready);
    for (uint32_t j = 0; j < task->need_count; j++) {
        const struct task *needed =
            task_at(state, ARRAY_AT(struct task_need, &state->needs, task->first_need + j)->task);
        if (needed->state == task_RUNNING && needed->attempt)
            ready = fmax(ready, good_end(state, attempt_at(state, needed->attempt - 1), now));
    }
    return ready;
}

/* By processor: the part of its speed that others are expected to leave. */
static double *find_shares(const struct state *state)
{
    double *shares = memory_get((state->processor_count + 1) * sizeof *shares);
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        for (uint32_t n = 0; n < host->processors && host->first + n < state->processor_count; n++)
            shares[host->first + n] = host->share;
    }
    return shares;
}

struct order {
    double begins;
    uint32_t place;
};

static int by_begin(const void *left, const void *right)
{
    const struct order *a = left, *b = right;
    return a->begins != b->begins ? (a->begins > b->begins) - (a->begins < b->begins)
                                  : (a->place > b->place) - (a->place < b->place);
}

static struct order *sort(const struct pack_schedule *plan)
{
    struct order *order = memory_get((plan->count + 1) * sizeof *order);
    for (uint32_t i = 0; i < plan->count; i++)
        order[i] = (struct order){plan->placed[i].begins, i};
    qsort(order, plan->count, sizeof *order, by_begin);
    return order;
}

double *likely_ends(struct state *state, const struct problem *problem, const struct pack_schedule *plan)
{
    const struct pack_problem *pack = &problem->pack;
    double *ends = memory_get((plan->count + 1) * sizeof *ends);
    double *of_task = memory_get((pack->task_count + 1) * sizeof *of_task);
    double *free_from = memory_get((pack->processor_count + 1) * sizeof *free_from);
    double *shares = find_shares(state);
    struct order *order = sort(plan);
    for (uint32_t p = 0; p < pack->processor_count; p++) {
        uint32_t holder = state->holders[*ARRAY_AT(uint32_t, &problem->processors, p)];
        bool is_ours = holder && holder != UINT32_MAX;
        free_from[p] = is_ours ? good_end(state, attempt_at(state, holder - 1), pack->now) : pack->now;
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct pack_placed *placed = &plan->placed[order[i].place];
        const struct pack_task *packed = &pack->tasks[placed->task];
        const struct task *task = task_at(state, *ARRAY_AT(uint32_t, &problem->tasks, placed->task));
        double begins = good_start(state, problem, task), share = 1;
        for (uint32_t j = 0; j < packed->need_count; j++)
            begins = fmax(begins, of_task[pack->needs[packed->first_need + j].task]);
        for (uint32_t j = 0; j < placed->count; j++) {
            uint32_t processor = plan->processors[placed->first + j];
            begins = fmax(begins, free_from[processor]);
            share = fmin(share, shares[*ARRAY_AT(uint32_t, &problem->processors, processor)]);
        }
        /* It does not begin later than planned. */
        begins = fmin(begins, fmax(placed->begins, pack->now));
        ends[order[i].place] =
            begins + (placed->ends - placed->begins) * good_part(state, task) * sqrt(fmax(share, 0));
        of_task[placed->task] = ends[order[i].place];
        for (uint32_t j = 0; j < placed->count; j++)
            free_from[plan->processors[placed->first + j]] = ends[order[i].place];
    }
    free(order);
    free(shares);
    free(free_from);
    free(of_task);
    return ends;
}
