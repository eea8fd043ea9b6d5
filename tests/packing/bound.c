/* A makespan that no schedule can beat.

   For a guess, each task has at most the time that the chains before and after it leave; so it needs at least
   the least work that such a time allows. If all this work is more than the processors can give from their
   releases until the guess, or a task cannot be that quick, the guess is too short. The bound is the
   shortest guess that passes. */
#include "tests/packing/packing.h"

#include <math.h>

static bool may_be_enough(const struct pack_case *the_case, double makespan)
{
    const struct pack_problem *problem = &the_case->problem;
    double room = 0, work = 0, end = problem->now + makespan;
    for (uint32_t h = 0; h < problem->host_count; h++)
        for (uint32_t i = 0; i < problem->hosts[h].count; i++)
            room += fmax(0, end - problem->releases[problem->hosts[h].first + i]) *
                    fmax(0, problem->hosts[h].speed);
    for (uint32_t i = 0; i < the_case->real_count; i++) {
        uint32_t t = the_case->topological[i];
        const struct pack_task *task = &problem->tasks[t];
        double after = the_case->tail[t] - the_case->least_seconds[t];
        double seconds = (end - the_case->head[t] - after) * (1 + 1e-12) * the_case->fastest,
               least = INFINITY;
        for (uint32_t n = task->least; n <= task->most; n++)
            if (case_seconds(task, n) <= seconds)
                least = fmin(least, case_seconds(task, n) * n);
        work += least;
    }
    return work <= room * (1 + 1e-12);
}

double bound_of(const struct pack_case *the_case)
{
    double low = 0, high = 1;
    if (!the_case->real_count || may_be_enough(the_case, 0))
        return 0;
    while (!may_be_enough(the_case, high) && high < 1e300)
        high *= 2;
    for (unsigned i = 0; i < 100 && high - low > 1e-9 * high; i++) {
        double middle = (low + high) / 2;
        if (may_be_enough(the_case, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

double pack_lower_bound(const struct pack_problem *problem)
{
    struct pack_case the_case;
    if (case_make(&the_case, problem, NULL) != pack_FINE)
        return NAN;
    double bound = bound_of(&the_case);
    case_free(&the_case);
    return bound;
}
