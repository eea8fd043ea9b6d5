#include "plan/schedule/pack/result.h"

#include "plan/schedule/pack/allot.h"
#include "plan/schedule/pack/holes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each speculative task ends as early as it can with one of a few sizes, and moves nobody. */
static void place_speculative(const struct pack_case *the_case, struct plan *plan)
{
    uint32_t count = the_case->problem.task_count;
    uint32_t *balanced = memory_get((count + 1) * sizeof *balanced);
    allot_balanced(the_case, balanced);
    struct holes holes;
    holes_make(&holes, the_case);
    for (uint32_t i = 0; i < plan->count; i++)
        holes_add(&holes, plan, plan->order[i]);
    for (uint32_t i = the_case->real_count; i < count; i++) {
        uint32_t t = the_case->topological[i];
        const struct pack_task *task = &the_case->problem.tasks[t];
        uint32_t sizes[] = {task->least, balanced[t], task->most}, best = task->least;
        double end = INFINITY;
        plan->seat[t] = SEAT_ANY;
        for (unsigned s = 0; s < 3; s++) {
            plan->size[t] = sizes[s];
            if (holes_place(&holes, plan, t, 0) && plan->ends[t] < end) {
                end = plan->ends[t];
                best = sizes[s];
            }
        }
        plan->size[t] = best;
        holes_place(&holes, plan, t, 0);
        holes_add(&holes, plan, t);
    }
    holes_free(&holes);
    free(balanced);
}

static int by_beginning(const void *a, const void *b)
{
    const struct pack_placed *x = a, *y = b;
    if (x->begins != y->begins)
        return x->begins < y->begins ? -1 : 1;
    if (x->ends != y->ends)
        return x->ends < y->ends ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static void find_figures(const struct pack_case *the_case, const struct pack_aims *aims,
                         const struct plan *plan, struct pack_schedule *schedule)
{
    const struct pack_problem *problem = &the_case->problem;
    double end = problem->now, busy = 0, waiting = 0, risk = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t t = plan->order[i];
        end = fmax(end, plan->ends[t]);
        busy += plan->size[t] * (plan->ends[t] - plan->begins[t]);
        schedule->late += fmax(0, plan->ends[t] - problem->tasks[t].deadline);
        risk += case_risk(the_case, t, plan->begins[t], plan->ends[t]);
        waiting += problem->tasks[t].weight * (plan->ends[t] - problem->now);
    }
    for (uint32_t i = 0; i < the_case->listed_count; i++)
        busy += fmin(problem->releases[the_case->listed[i]], end) - problem->now;
    schedule->makespan = end - problem->now;
    double all = schedule->makespan * the_case->listed_count;
    schedule->idle = all > 0 ? fmax(0, 1 - busy / all) : 0;
    schedule->fitness = aims->makespan * schedule->makespan + aims->late * schedule->late +
                        aims->idle * schedule->idle * schedule->makespan +
                        (the_case->weights > 0 ? aims->waiting * waiting / the_case->weights : 0) +
                        aims->hedge * risk;
}

void result_fill(const struct pack_case *the_case, const struct pack_aims *aims, struct plan *plan,
                 struct pack_schedule *schedule)
{
    uint32_t count = the_case->problem.task_count;
    *schedule = (struct pack_schedule){.count = count};
    if (the_case->real_count < count)
        place_speculative(the_case, plan);
    size_t all = 0;
    for (uint32_t t = 0; t < count; t++)
        all += plan->size[t];
    schedule->placed = memory_get((count + 1) * sizeof *schedule->placed);
    schedule->processors = memory_get((all + 1) * sizeof *schedule->processors);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = i < plan->count ? plan->order[i] : the_case->topological[i];
        struct pack_placed *placed = &schedule->placed[i];
        *placed = (struct pack_placed){t, used, 0, plan->begins[t], plan->ends[t]};
        for (uint32_t word = 0; word < plan->words; word++)
            for (uint64_t bits = plan_set(plan, t)[word]; bits; bits &= bits - 1)
                schedule->processors[used++] = word * 64 + (uint32_t)__builtin_ctzll(bits);
        placed->count = used - placed->first;
    }
    /* `first` grows along the order, so that equal beginnings keep it. */
    qsort(schedule->placed, count, sizeof *schedule->placed, by_beginning);
    find_figures(the_case, aims, plan, schedule);
}

void pack_schedule_free(struct pack_schedule *schedule)
{
    free(schedule->placed);
    free(schedule->processors);
    *schedule = (struct pack_schedule){0};
}
