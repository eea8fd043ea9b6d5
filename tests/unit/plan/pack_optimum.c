/* The optimum of small problems against every order and every set of processors, and the packer against the
   optimum. */
#include "tests/packing/packing.h"
#include "pack_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { MOST_TASKS = 4, MOST_PROCESSORS = 4 };

struct trial {
    const struct pack_problem *problem;
    uint32_t sets[MOST_TASKS];
    double ends[MOST_TASKS], releases[MOST_PROCESSORS], best;
};

static uint32_t hosts_of(const struct pack_problem *problem, uint32_t set)
{
    uint32_t hosts = 0;
    for (uint32_t h = 0; h < problem->host_count; h++)
        if (set >> problem->hosts[h].first & ((1u << problem->hosts[h].count) - 1))
            hosts |= 1u << h;
    return hosts;
}

static bool may_have(const struct pack_problem *problem, const struct pack_task *task, uint32_t set)
{
    uint32_t count = (uint32_t)__builtin_popcount(set), hosts = hosts_of(problem, set);
    return count >= task->least && count <= task->most && (task->spans || !(hosts & (hosts - 1))) &&
           (!task->hosts || !(hosts & ~task->hosts[0]));
}

/* te, ts and tr as the thesis writes them, for all that can be written. */
static void try_all(struct trial *trial, uint32_t done, double latest)
{
    const struct pack_problem *problem = trial->problem;
    if (done == (1u << problem->task_count) - 1)
        trial->best = fmin(trial->best, latest);
    for (uint32_t t = 0; t < problem->task_count; t++) {
        const struct pack_task *task = &problem->tasks[t];
        bool waits = done >> t & 1;
        for (uint32_t i = 0; i < task->need_count; i++)
            waits = waits || !(done >> problem->needs[task->first_need + i].task & 1);
        for (uint32_t set = 1; set < 1u << problem->processor_count && !waits; set++) {
            if (!may_have(problem, task, set))
                continue;
            double begin = fmax(problem->now, task->ready), speed = INFINITY, kept[MOST_PROCESSORS];
            memcpy(kept, trial->releases, sizeof kept);
            uint32_t hosts = hosts_of(problem, set);
            for (uint32_t p = 0; p < problem->processor_count; p++)
                if (set >> p & 1)
                    begin = fmax(begin, trial->releases[p]);
            for (uint32_t h = 0; h < problem->host_count; h++)
                if (hosts >> h & 1)
                    speed = fmin(speed, problem->hosts[h].speed);
            for (uint32_t i = 0; i < task->need_count; i++) {
                const struct pack_need *need = &problem->needs[task->first_need + i];
                bool moves = problem->bytes_per_second > 0 && need->bytes > 0 &&
                             !(hosts & hosts_of(problem, trial->sets[need->task]));
                begin =
                    fmax(begin, trial->ends[need->task] +
                                    (moves ? problem->latency + need->bytes / problem->bytes_per_second : 0));
            }
            double end = begin + task->seconds[(uint32_t)__builtin_popcount(set) - task->least] / speed;
            trial->sets[t] = set;
            trial->ends[t] = end;
            for (uint32_t p = 0; p < problem->processor_count; p++)
                if (set >> p & 1)
                    trial->releases[p] = end;
            if (end < trial->best)
                try_all(trial, done | 1u << t, fmax(latest, end));
            memcpy(trial->releases, kept, sizeof kept);
        }
    }
}

static double packed(const struct pack_problem *problem, uint64_t steps)
{
    static const struct pack_aims aims = {.makespan = 1};
    struct packer *packer = pack_open(3, 1, &aims);
    assert_int_equal(pack_set(packer, problem, NULL), pack_FINE);
    pack_steps(packer, steps);
    double makespan = pack_best(packer)->makespan;
    pack_close(packer);
    return makespan;
}

static void optimum_is_the_best_of_all(void **unused)
{
    (void)unused;
    static const uint32_t shapes[][2] = {{1, 3}, {2, 1}, {3, 1}, {2, 2}, {4, 1}};
    struct random random = {21};
    for (unsigned number = 0; number < 120; number++) {
        const uint32_t *shape = shapes[random_below(&random, 5)];
        struct kinds kinds = random_kinds(&random, 4);
        kinds.hosts = shape[0];
        kinds.processors_each = shape[1];
        kinds.tasks = shape[0] * shape[1] == 4 ? 1 + random_below(&random, 3) : 1 + random_below(&random, 4);
        kinds.speculative = kinds.priorities = false;
        struct made_problem made;
        problem_random(&made, &kinds, &random);
        struct trial trial = {.problem = &made.problem, .best = INFINITY};
        memcpy(trial.releases, made.releases, made.problem.processor_count * sizeof *made.releases);
        try_all(&trial, 0, made.problem.now);
        double least = trial.best - made.problem.now, optimum = pack_optimum(&made.problem, 60);
        if (!(fabs(optimum - least) <= 1e-6 * least))
            fail_msg("problem %u: %.9g is not the optimum %.9g", number, optimum, least);
        assert_true(pack_lower_bound(&made.problem) <= least * (1 + 1e-9));
        double ours = packed(&made.problem, 4000);
        assert_true(ours >= least * (1 - 1e-6));
        assert_true(ours <= least * 1.25);
        problem_free(&made);
    }
}

static void packer_is_near_the_optimum(void **unused)
{
    (void)unused;
    struct random random = {22};
    double sum = 0;
    unsigned count = 30;
    for (unsigned number = 0; number < count; number++) {
        struct kinds kinds = {.hosts = 4,
                              .processors_each = 1 + number % 3,
                              .tasks = 5 + random_below(&random, 3),
                              .most = 4,
                              .spans = number % 3 == 0,
                              .needs = number % 2};
        struct made_problem made;
        problem_random(&made, &kinds, &random);
        double optimum = pack_optimum(&made.problem, 600), ours = packed(&made.problem, 10000);
        assert_false(isnan(optimum));
        assert_true(optimum <= ours * (1 + 1e-6));
        assert_true(pack_lower_bound(&made.problem) <= optimum * (1 + 1e-6));
        sum += ours / optimum - 1;
        problem_free(&made);
    }
    assert_true(sum / count < 0.05);
}

/* More tasks than it takes on, and no time. */
static void no_optimum_is_no_number(void **unused)
{
    (void)unused;
    struct random random = {23};
    struct kinds kinds = {.hosts = 4, .processors_each = 4, .tasks = 40, .most = 4};
    struct made_problem made;
    problem_random(&made, &kinds, &random);
    assert_true(isnan(pack_optimum(&made.problem, 1)));
    problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimum_is_the_best_of_all),
        cmocka_unit_test(packer_is_near_the_optimum),
        cmocka_unit_test(no_optimum_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
