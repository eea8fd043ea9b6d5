#include "plan/schedule/pack/allot.h"

#include <math.h>
#include <stdlib.h>

void allot_within(const struct pack_case *the_case, double seconds, uint32_t *size)
{
    for (uint32_t t = 0; t < the_case->problem.task_count; t++) {
        const struct pack_task *task = &the_case->problem.tasks[t];
        uint32_t best = task->least;
        double best_work = INFINITY, shortest = INFINITY;
        for (uint32_t n = task->least; n <= task->most; n++) {
            double time = case_seconds(task, n) / the_case->fastest, work = time * n;
            if (time <= seconds ? work < best_work : best_work == INFINITY && time < shortest) {
                best = n;
                best_work = time <= seconds ? work : INFINITY;
            }
            shortest = fmin(shortest, time);
        }
        size[t] = best;
    }
}

void allot_priced(const struct pack_case *the_case, double price, uint32_t *size)
{
    double per_second = price * the_case->listed_count;
    for (uint32_t t = 0; t < the_case->problem.task_count; t++) {
        const struct pack_task *task = &the_case->problem.tasks[t];
        double least = INFINITY;
        for (uint32_t n = task->least; n <= task->most; n++) {
            double cost = case_seconds(task, n) * (n + per_second);
            if (cost < least) {
                least = cost;
                size[t] = n;
            }
        }
    }
}

void allot_balanced(const struct pack_case *the_case, uint32_t *size)
{
    uint32_t count = the_case->problem.task_count;
    double *ranks = memory_get((count + 1) * sizeof *ranks);
    double low = 1e-4, high = 4;
    for (unsigned step = 0; step < 20; step++) {
        double price = sqrt(low * high), chain = 0, work = 0;
        allot_priced(the_case, price, size);
        allot_ranks(the_case, size, ranks);
        for (uint32_t i = 0; i < the_case->real_count; i++) {
            uint32_t t = the_case->topological[i];
            chain = fmax(chain, ranks[t]);
            work += case_seconds(&the_case->problem.tasks[t], size[t]) * size[t];
        }
        if (chain > work / the_case->fastest / the_case->listed_count)
            low = price;
        else
            high = price;
    }
    allot_priced(the_case, high, size);
    free(ranks);
}

void allot_ranks(const struct pack_case *the_case, const uint32_t *size, double *ranks)
{
    for (uint32_t i = the_case->problem.task_count; i--;) {
        uint32_t t = the_case->topological[i];
        double after = 0;
        for (uint32_t n = the_case->first_next[t]; n < the_case->first_next[t + 1]; n++)
            if (the_case->is_real[the_case->next[n].task] || !the_case->is_real[t])
                after = fmax(after, ranks[the_case->next[n].task] + the_case->next[n].move +
                                        the_case->next[n].fetch);
        ranks[t] = after + case_seconds(&the_case->problem.tasks[t], size[t]) / the_case->fastest;
    }
}
