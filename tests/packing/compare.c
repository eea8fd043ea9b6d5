/* Schedules to compare with: what clusters do without estimates (FIFO), with reservations (backfill), and the
   two list schedulers of the literature, HEFT and CPOP, with a number of processors for each task from the
   balance of longest chain and work.

   FIFO is a queue: no task begins before the one that was submitted before it. Backfill lets a task begin
   earlier where no reservation of an earlier one moves. Its jobs have one size each, as batch queues want
   it: the same for all, and of 1, 2, 4, … the size that turns out best, which is more than a user could know.
 */
#include "tests/packing/packing.h"

#include "plan/schedule/pack/allot.h"
#include "plan/schedule/pack/holes.h"
#include "plan/schedule/pack/result.h"
#include "plan/schedule/pack/seeds.h"

#include <math.h>
#include <stdlib.h>

const char *const pack_method_names[pack_METHOD_COUNT] = {
    [pack_FIFO_SEQUENTIAL] = "FIFO, sequential",
    [pack_FIFO_PARALLEL] = "FIFO, parallel",
    [pack_HEFT] = "HEFT",
    [pack_CPOP] = "CPOP",
    [pack_BACKFILL] = "backfill",
};

static double figures_end(const struct plan *plan)
{
    double end = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        end = fmax(end, plan->ends[plan->order[i]]);
    return end;
}

/* Places tasks in the plan's order.  is_queue: none before its predecessor in the order.  Ends early, with
   INFINITY, where one ends after limit. */
static double place_all(const struct pack_case *the_case, struct plan *plan, bool is_queue, double limit)
{
    struct holes holes;
    holes_make(&holes, the_case);
    double least = the_case->problem.now;
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t t = plan->order[i];
        holes_place(&holes, plan, t, least);
        holes_add(&holes, plan, t);
        if (is_queue)
            least = plan->begins[t];
        if (plan->ends[t] > limit) {
            holes_free(&holes);
            return INFINITY;
        }
    }
    holes_free(&holes);
    return figures_end(plan);
}

/* As they were submitted: by number. */
static void order_by_number(const struct pack_case *the_case, struct plan *plan)
{
    uint32_t used = 0;
    for (uint32_t t = 0; t < the_case->problem.task_count; t++)
        if (the_case->is_real[t])
            plan->order[used++] = t;
    plan_mend_order(the_case, plan);
}

static void size_all(const struct pack_case *the_case, struct plan *plan, uint32_t size)
{
    for (uint32_t t = 0; t < the_case->problem.task_count; t++) {
        const struct pack_task *task = &the_case->problem.tasks[t];
        plan->size[t] = size < task->least ? task->least : size > task->most ? task->most : size;
    }
}

static void backfill(const struct pack_case *the_case, struct plan *plan)
{
    uint32_t best = 1;
    double best_end = INFINITY;
    order_by_number(the_case, plan);
    for (uint32_t size = 1; size && size <= the_case->problem.processor_count; size *= 2) {
        size_all(the_case, plan, size);
        double end = place_all(the_case, plan, false, best_end);
        if (end < best_end) {
            best_end = end;
            best = size;
        }
    }
    size_all(the_case, plan, best);
    place_all(the_case, plan, false, INFINITY);
}

static void heft(const struct pack_case *the_case, struct plan *plan)
{
    double *ranks = memory_get((the_case->problem.task_count + 1) * sizeof *ranks);
    allot_balanced(the_case, plan->size);
    allot_ranks(the_case, plan->size, ranks);
    seeds_order(the_case, plan, ranks);
    place_all(the_case, plan, false, INFINITY);
    free(ranks);
}

/* The host on which the critical tasks together take least; UINT32_MAX: there is none for all of them. */
static uint32_t critical_host(const struct pack_case *the_case, const struct plan *plan, const double *both,
                              double longest)
{
    uint32_t best = UINT32_MAX;
    double least = INFINITY;
    for (uint32_t h = 0; h < the_case->problem.host_count; h++) {
        double seconds = 0;
        for (uint32_t i = 0; i < plan->count; i++) {
            uint32_t t = plan->order[i];
            const struct pack_task *task = &the_case->problem.tasks[t];
            if (both[t] < longest * (1 - 1e-9))
                continue;
            bool fits = case_allows(task, h) && the_case->problem.hosts[h].count >= plan->size[t];
            seconds += fits ? case_seconds(task, plan->size[t]) / the_case->problem.hosts[h].speed : INFINITY;
        }
        if (seconds < least) {
            least = seconds;
            best = h;
        }
    }
    return best;
}

static void cpop(const struct pack_case *the_case, struct plan *plan)
{
    uint32_t count = the_case->problem.task_count;
    double *up = memory_get((count + 1) * sizeof *up), *both = memory_get((count + 1) * sizeof *both);
    double longest = 0;
    allot_balanced(the_case, plan->size);
    allot_ranks(the_case, plan->size, up);
    for (uint32_t i = 0; i < count; i++) { /* `both` is the way down first */
        uint32_t t = the_case->topological[i];
        for (uint32_t b = the_case->first_before[t]; b < the_case->first_before[t + 1]; b++) {
            uint32_t before = the_case->before[b].task;
            double seconds = case_seconds(&the_case->problem.tasks[before], plan->size[before]);
            both[t] = fmax(both[t], both[before] + seconds / the_case->fastest + the_case->before[b].move);
        }
    }
    for (uint32_t t = 0; t < count; t++) {
        both[t] += up[t];
        longest = fmax(longest, the_case->is_real[t] ? both[t] : 0);
    }
    seeds_order(the_case, plan, both);
    uint32_t host = critical_host(the_case, plan, both, longest);
    for (uint32_t i = 0; i < plan->count && host != UINT32_MAX; i++)
        if (both[plan->order[i]] >= longest * (1 - 1e-9))
            plan->seat[plan->order[i]] = host;
    place_all(the_case, plan, false, INFINITY);
    free(up);
    free(both);
}

bool pack_by(enum pack_method method, const struct pack_problem *problem, struct pack_schedule *schedule)
{
    struct pack_case the_case;
    *schedule = (struct pack_schedule){0};
    if (case_make(&the_case, problem, NULL) != pack_FINE)
        return false;
    struct plan plan;
    plan_make(&plan, &the_case);
    switch (method) {
    case pack_HEFT:
        heft(&the_case, &plan);
        break;
    case pack_CPOP:
        cpop(&the_case, &plan);
        break;
    case pack_BACKFILL:
        backfill(&the_case, &plan);
        break;
    default:
        order_by_number(&the_case, &plan);
        size_all(&the_case, &plan, method == pack_FIFO_PARALLEL ? UINT32_MAX : 1);
        place_all(&the_case, &plan, true, INFINITY);
    }
    result_fill(&the_case, &pack_usual_aims, &plan, schedule);
    plan_free(&plan);
    case_free(&the_case);
    return true;
}
