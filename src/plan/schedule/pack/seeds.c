#include "plan/schedule/pack/seeds.h"

#include "plan/schedule/pack/allot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
    double figure;
    uint32_t class, task;
};

static int by_figure(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->figure != y->figure)
        return x->figure > y->figure ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

void seeds_order(const struct pack_case *the_case, struct plan *plan, const double *figures)
{
    struct ranked *ranked = memory_get((plan->count + 1) * sizeof *ranked);
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t t = the_case->topological[i];
        ranked[i] = (struct ranked){figures[t], the_case->class_of[t], t};
    }
    qsort(ranked, plan->count, sizeof *ranked, by_figure);
    for (uint32_t i = 0; i < plan->count; i++)
        plan->order[i] = ranked[i].task;
    free(ranked);
    plan_mend_order(the_case, plan);
}

/* Keeps the plan if it is among the best, and gives back one to fill next. */
static void offer(struct plan *plans, uint32_t *count, uint32_t most, struct plan *plan)
{
    uint32_t place = 0;
    while (place < *count && plans[place].figures.fitness < plan->figures.fitness)
        place++;
    if (place == most || (place < *count && plans[place].figures.fitness == plan->figures.fitness))
        return;
    struct plan spare = plans[*count < most ? *count : most - 1];
    *count += *count < most;
    memmove(plans + place + 1, plans + place, (*count - 1 - place) * sizeof *plans);
    plans[place] = *plan;
    *plan = spare;
}

enum order { ORDER_RANK, ORDER_WORK, ORDER_TIME, ORDER_DEADLINE, ORDER_COUNT };

static void figures_for(const struct pack_case *the_case, enum order order, const uint32_t *size,
                        double *figures)
{
    allot_ranks(the_case, size, figures);
    if (order == ORDER_RANK)
        return;
    for (uint32_t t = 0; t < the_case->problem.task_count; t++) {
        const struct pack_task *task = &the_case->problem.tasks[t];
        double seconds = case_seconds(task, size[t]);
        if (order == ORDER_DEADLINE) /* the latest beginning, the earliest first */
            figures[t] = isfinite(task->deadline) ? figures[t] - task->deadline : figures[t] - 1e15;
        else
            figures[t] = order == ORDER_WORK ? seconds * size[t] : seconds;
    }
}

/* Deadlines count for what has to be done before, too. */
static void pull_deadlines(const struct pack_case *the_case, double *figures)
{
    for (uint32_t i = the_case->problem.task_count; i--;) {
        uint32_t t = the_case->topological[i];
        for (uint32_t n = the_case->first_next[t]; n < the_case->first_next[t + 1]; n++)
            if (the_case->is_real[the_case->next[n].task])
                figures[t] = fmax(figures[t], figures[the_case->next[n].task]);
    }
}

static double floor_of(const struct pack_case *the_case)
{
    double chain = 0, work = 0;
    for (uint32_t i = 0; i < the_case->real_count; i++) {
        uint32_t t = the_case->topological[i];
        chain = fmax(chain, the_case->tail[t]);
        work += the_case->least_work[t];
    }
    return fmax(chain, work / the_case->fastest / the_case->listed_count);
}

uint32_t seeds_make(struct evaluator *evaluator, struct plan *plans, uint32_t most, uint32_t tries)
{
    static const double shares[] = {1, 0.7, 0.5, 0.33, 1.25, 0.85, 0.6, 0.4, 0.25, 0.16, 0.08};
    static const double prices[] = {0, 0.06, 0.25, 1, 0.016, 0.12, 0.5, 0.004, 4};
    enum { SHARES = sizeof shares / sizeof *shares, PRICES = sizeof prices / sizeof *prices };
    const struct pack_case *the_case = evaluator->the_case;
    double *figures = memory_get((the_case->problem.task_count + 1) * sizeof *figures);
    double floor = floor_of(the_case);
    uint32_t count = 0;
    for (uint32_t i = 0; i < most; i++)
        plan_make(&plans[i], the_case);
    struct plan plan;
    plan_make(&plan, the_case);
    static const enum order orders[] = {ORDER_DEADLINE, ORDER_RANK, ORDER_WORK, ORDER_TIME};
    for (unsigned o = 0; o < sizeof orders / sizeof *orders; o++)
        for (unsigned way = 0; way < 1 + SHARES + PRICES; way++) {
            enum order order = orders[o];
            if ((order == ORDER_DEADLINE && the_case->late_from == INFINITY) || (count && tries == 0))
                continue;
            tries -= tries > 0;
            if (!way)
                allot_balanced(the_case, plan.size);
            else if (way <= SHARES)
                allot_within(the_case, shares[way - 1] * floor, plan.size);
            else
                allot_priced(the_case, prices[way - 1 - SHARES], plan.size);
            for (uint32_t t = 0; t < the_case->problem.task_count; t++)
                plan.seat[t] = SEAT_ANY;
            figures_for(the_case, order, plan.size, figures);
            if (order == ORDER_DEADLINE)
                pull_deadlines(the_case, figures);
            seeds_order(the_case, &plan, figures);
            evaluate(evaluator, &plan);
            offer(plans, &count, most, &plan);
        }
    plan_free(&plan);
    for (uint32_t i = count; i < most; i++)
        plan_free(&plans[i]);
    free(figures);
    return count;
}
