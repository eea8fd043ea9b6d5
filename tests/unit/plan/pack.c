/* The packer on random problems: whatever it says is a schedule, it does not depend on threads or on how it
   was evaluated, and it is never worse than what it began with. */
#include "tests/packing/packing.h"
#include "pack_problems.h"

#include "plan/schedule/pack/evaluate.h"
#include "plan/schedule/pack/genetic.h"
#include "plan/schedule/pack/local.h"
#include "plan/schedule/pack/seeds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define FINE(fault)                                                                                          \
    do {                                                                                                     \
        char *said = (fault);                                                                                \
        if (said)                                                                                            \
            fail_msg("problem %u: %s", number, said);                                                        \
    } while (0)

/* Memory, data that is fetched, or both. */
static void want_care(struct kinds *kinds, unsigned number)
{
    kinds->memory = number % 3 == 1 || (number && number % 3 == 0);
    kinds->fetches = number % 3 == 2 || (number && number % 3 == 0);
    kinds->speculative = kinds->speculative && !number;
}

static void every_schedule_keeps_the_rules(void **unused)
{
    (void)unused;
    struct random random = {11};
    for (unsigned number = 0; number < 200; number++) {
        struct kinds kinds = random_kinds(&random, 30);
        want_care(&kinds, number < 160 ? 0 : number);
        struct made_problem made;
        problem_random(&made, &kinds, &random);
        double bound = pack_lower_bound(&made.problem);
        for (enum pack_method method = 0; method < pack_METHOD_COUNT && !kinds.memory && !kinds.fetches;
             method++) {
            struct pack_schedule schedule;
            assert_true(pack_by(method, &made.problem, &schedule));
            FINE(pack_check(&made.problem, &schedule));
            assert_true(schedule.makespan >= bound * (1 - 1e-6));
            pack_schedule_free(&schedule);
        }
        struct packer *packer = pack_open(number, 1, NULL);
        uint32_t bad;
        assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FINE);
        double fitness = INFINITY;
        for (unsigned i = 0; i < 4; i++) {
            const struct pack_schedule *best = pack_best(packer);
            FINE(pack_check(&made.problem, best));
            assert_true(best->makespan >= bound * (1 - 1e-6));
            assert_true(best->fitness <= fitness * (1 + 1e-6));
            fitness = best->fitness;
            pack_steps(packer, 400);
        }
        pack_close(packer);
        problem_free(&made);
    }
}

static void evaluation_in_part_is_evaluation_of_all(void **unused)
{
    (void)unused;
    struct random random = {12};
    for (unsigned number = 0; number < 130; number++) {
        struct kinds kinds = random_kinds(&random, 60);
        want_care(&kinds, number < 100 ? 0 : number);
        struct made_problem made;
        struct pack_case the_case;
        problem_random(&made, &kinds, &random);
        assert_int_equal(case_make(&the_case, &made.problem, NULL), pack_FINE);
        if (!the_case.real_count) {
            case_free(&the_case);
            problem_free(&made);
            continue;
        }
        struct local local;
        local_make(&local, &the_case, &pack_usual_aims, &random);
        struct plan other;
        plan_make(&other, &the_case);
        genetic_mutate(&the_case, &local.plan, 20, &random);
        local_begin(&local);
        struct evaluator evaluator;
        evaluator_make(&evaluator, &the_case, &pack_usual_aims);
        for (unsigned i = 0; i < 200; i++) {
            local_step(&local);
            plan_copy(&other, &local.plan);
            evaluate(&evaluator, &other);
            for (uint32_t k = 0; k < other.count; k++) {
                uint32_t t = other.order[k];
                assert_true(other.begins[t] == local.plan.begins[t] && other.ends[t] == local.plan.ends[t]);
                assert_memory_equal(plan_set(&other, t), plan_set(&local.plan, t), 8 * other.words);
            }
            assert_true(fabs(other.figures.fitness - local.plan.figures.fitness) <=
                        1e-9 * other.figures.fitness);
        }
        evaluator_free(&evaluator);
        plan_free(&other);
        local_free(&local);
        case_free(&the_case);
        problem_free(&made);
    }
}

static void threads_change_nothing(void **unused)
{
    (void)unused;
    struct random random = {13};
    for (unsigned number = 0; number < 12; number++) {
        struct kinds kinds = random_kinds(&random, 60);
        struct made_problem made;
        problem_random(&made, &kinds, &random);
        double fitness[3];
        for (unsigned i = 0; i < 3; i++) {
            struct packer *packer = pack_open(5, 1 + i * 2, NULL);
            assert_int_equal(pack_set(packer, &made.problem, NULL), pack_FINE);
            pack_steps(packer, 3000);
            pack_steps(packer, 3001);
            fitness[i] = pack_best(packer)->fitness;
            pack_close(packer);
        }
        assert_true(fitness[0] == fitness[1] && fitness[1] == fitness[2]);
        problem_free(&made);
    }
}

static void children_are_valid(void **unused)
{
    (void)unused;
    struct random random = {14};
    for (unsigned number = 0; number < 100; number++) {
        struct kinds kinds = random_kinds(&random, 40);
        struct made_problem made;
        struct pack_case the_case;
        problem_random(&made, &kinds, &random);
        assert_int_equal(case_make(&the_case, &made.problem, NULL), pack_FINE);
        struct plan parents[2], child;
        struct evaluator evaluator;
        evaluator_make(&evaluator, &the_case, &pack_usual_aims);
        for (unsigned i = 0; i < 2; i++) {
            plan_make(&parents[i], &the_case);
            genetic_mutate(&the_case, &parents[i], 30, &random);
            evaluate(&evaluator, &parents[i]);
        }
        plan_make(&child, &the_case);
        for (unsigned i = 0; i < 20; i++) {
            genetic_cross(&the_case, &parents[0], &parents[1], &child, &random);
            genetic_mutate(&the_case, &child, 3, &random);
            evaluate(&evaluator, &child);
            bool *seen = memory_get(child.tasks + 1);
            for (uint32_t k = 0; k < child.count; k++) {
                uint32_t t = child.order[k], size = 0;
                assert_false(seen[t]);
                seen[t] = true;
                for (uint32_t word = 0; word < child.words; word++)
                    size += (uint32_t)__builtin_popcountll(plan_set(&child, t)[word]);
                assert_int_equal(size, child.size[t]);
                for (uint32_t b = the_case.first_before[t]; b < the_case.first_before[t + 1]; b++)
                    assert_true(seen[the_case.before[b].task]);
            }
            free(seen);
        }
        evaluator_free(&evaluator);
        plan_free(&parents[0]);
        plan_free(&parents[1]);
        plan_free(&child);
        case_free(&the_case);
        problem_free(&made);
    }
}

static void speculative_tasks_delay_nobody(void **unused)
{
    (void)unused;
    struct random random = {15};
    for (unsigned number = 0; number < 40; number++) {
        struct kinds kinds = random_kinds(&random, 30);
        kinds.speculative = kinds.needs = false;
        struct made_problem made;
        problem_random(&made, &kinds, &random);
        double fitness[2];
        for (unsigned with = 0; with < 2; with++) {
            /* The last third is speculative; without them, the problem is shorter. */
            uint32_t real = kinds.tasks - kinds.tasks / 3;
            for (uint32_t t = real; t < kinds.tasks; t++)
                made.tasks[t].is_speculative = true;
            made.problem.task_count = with ? kinds.tasks : real;
            struct packer *packer = pack_open(5, 1, NULL);
            assert_int_equal(pack_set(packer, &made.problem, NULL), pack_FINE);
            pack_steps(packer, 1000);
            const struct pack_schedule *best = pack_best(packer);
            FINE(pack_check(&made.problem, best));
            fitness[with] = best->fitness;
            pack_close(packer);
        }
        assert_true(fitness[1] == fitness[0]);
        problem_free(&made);
    }
}

static void changes_keep_what_was_known(void **unused)
{
    (void)unused;
    struct random random = {16};
    for (unsigned number = 0; number < 40; number++) {
        struct kinds kinds = random_kinds(&random, 40);
        kinds.hosts++;
        kinds.tasks += 4;
        struct made_problem made;
        problem_random(&made, &kinds, &random);
        made.problem.task_count = kinds.tasks / 2;
        struct packer *packer = pack_open(7, 1, NULL);
        assert_int_equal(pack_set(packer, &made.problem, NULL), pack_FINE);
        pack_steps(packer, 2000);
        double fitness = pack_best(packer)->fitness;
        /* Nothing changed: nothing is lost. */
        assert_int_equal(pack_set(packer, &made.problem, NULL), pack_FINE);
        assert_true(pack_best(packer)->fitness <= fitness * (1 + 1e-6));
        /* Tasks come. */
        made.problem.task_count = kinds.tasks;
        assert_int_equal(pack_set(packer, &made.problem, NULL), pack_FINE);
        FINE(pack_check(&made.problem, pack_best(packer)));
        pack_steps(packer, 200);
        /* A host goes, and its place in the list is taken by another; estimates change. */
        struct pack_host gone = made.hosts[0];
        made.hosts[0] = made.hosts[kinds.hosts - 1];
        made.problem.host_count--;
        for (uint32_t t = 0; t < kinds.tasks; t++) {
            struct pack_task *task = &made.tasks[t];
            task->hosts = NULL;
            task->least = 1;
            task->most = kinds.processors_each < kinds.most ? kinds.processors_each : kinds.most;
            task->seconds = scaled(&made.arena, 5 + random_below(&random, 100), task->least, task->most);
        }
        assert_int_equal(pack_set(packer, &made.problem, NULL), pack_FINE);
        FINE(pack_check(&made.problem, pack_best(packer)));
        pack_steps(packer, 200);
        /* It comes back, and the first tasks are done. */
        made.hosts[kinds.hosts - 1] = gone;
        made.problem.host_count++;
        made.problem.tasks = made.tasks + kinds.tasks / 3;
        made.problem.task_count = kinds.tasks - kinds.tasks / 3;
        for (uint32_t t = 0; t < kinds.tasks; t++)
            made.tasks[t].need_count = 0;
        assert_int_equal(pack_set(packer, &made.problem, NULL), pack_FINE);
        FINE(pack_check(&made.problem, pack_best(packer)));
        pack_steps(packer, 200);
        FINE(pack_check(&made.problem, pack_best(packer)));
        pack_close(packer);
        problem_free(&made);
    }
}

/* One long task and ten short ones on two processors: any order that ends them together is as quick. Short
   ones first is better for their mean end, but if the estimate of the long one may be wrong, it goes first.
 */
static void uncertain_long_work_goes_early(void **unused)
{
    (void)unused;
    for (unsigned with = 0; with < 2; with++) {
        struct made_problem made = {0};
        problem_hosts(&made, 1, 2);
        made.tasks = arena_get(&made.arena, 11 * sizeof *made.tasks);
        for (uint32_t t = 0; t < 11; t++)
            made.tasks[t] = (struct pack_task){.key = t + 1,
                                               .deadline = INFINITY,
                                               .weight = 1,
                                               .spread = with ? 0.3F : 0,
                                               .least = 1,
                                               .most = 1,
                                               .seconds = scaled(&made.arena, t ? 2 : 10, 1, 1)};
        made.problem.tasks = made.tasks;
        made.problem.task_count = 11;
        struct packer *packer = pack_open(1, 1, NULL);
        uint32_t bad;
        assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FINE);
        pack_steps(packer, 20000);
        const struct pack_schedule *plan = pack_best(packer);
        assert_true(plan->makespan < 16.01);
        for (uint32_t i = 0; i < plan->count; i++)
            if (plan->placed[i].task == 0)
                assert_true(with ? plan->placed[i].begins < 0.1 : plan->placed[i].begins > 1.9);
        pack_close(packer);
        problem_free(&made);
    }
}

/* Two hosts of two processors; four tasks of 10 s, of which no two that need 6 fit on one host of 10: a plan
   that cared for processors alone would end after 10 s. */
static void tasks_wait_for_memory(void **unused)
{
    (void)unused;
    struct made_problem made = {0};
    problem_hosts(&made, 2, 2);
    made.hosts[0].memory = made.hosts[1].memory = 10;
    made.tasks = arena_get(&made.arena, 4 * sizeof *made.tasks);
    for (uint32_t t = 0; t < 4; t++)
        made.tasks[t] = (struct pack_task){.key = t + 1,
                                           .deadline = INFINITY,
                                           .weight = 1,
                                           .least = 1,
                                           .most = 1,
                                           .memory = t < 2 ? 6 : 4,
                                           .seconds = scaled(&made.arena, 10, 1, 1)};
    made.problem.tasks = made.tasks;
    made.problem.task_count = 4;
    for (unsigned large = 2; large <= 4; large += 2) {
        made.tasks[2].memory = made.tasks[3].memory = large == 2 ? 4 : 6;
        struct packer *packer = pack_open(1, 1, NULL);
        uint32_t bad;
        assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FINE);
        pack_steps(packer, 1000);
        /* A large and a small one on each host; or one large one after the other. */
        assert_true(fabs(pack_best(packer)->makespan - (large == 2 ? 10 : 20)) < 1e-6);
        assert_null(pack_check(&made.problem, pack_best(packer)));
        pack_close(packer);
    }
    problem_free(&made);
}

/* What is fetched from far takes longer than waiting for the host where it lies. */
static void tasks_go_where_their_data_is(void **unused)
{
    (void)unused;
    static const float far[] = {0, 50};
    struct made_problem made = {0};
    problem_hosts(&made, 2, 1);
    made.tasks = arena_get(&made.arena, 2 * sizeof *made.tasks);
    for (uint32_t t = 0; t < 2; t++)
        made.tasks[t] = (struct pack_task){.key = t + 1,
                                           .deadline = INFINITY,
                                           .weight = 1,
                                           .least = 1,
                                           .most = 1,
                                           .fetch = far,
                                           .seconds = scaled(&made.arena, 10, 1, 1)};
    made.problem.tasks = made.tasks;
    made.problem.task_count = 2;
    struct packer *packer = pack_open(1, 1, NULL);
    uint32_t bad;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FINE);
    pack_steps(packer, 1000);
    assert_true(fabs(pack_best(packer)->makespan - 20) < 1e-6);
    pack_close(packer);
    problem_free(&made);
}

static void what_cannot_be_packed_is_refused(void **unused)
{
    (void)unused;
    struct random random = {17};
    struct kinds kinds = {.hosts = 2, .processors_each = 4, .tasks = 6, .most = 4};
    struct made_problem made;
    problem_random(&made, &kinds, &random);
    struct packer *packer = pack_open(1, 1, NULL);
    uint32_t bad = 77;
    assert_int_equal(pack_best(packer)->count, 0);
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FINE);
    double fitness = pack_best(packer)->fitness;

    made.needs[0] = (struct pack_need){3, 0};
    made.needs[1] = (struct pack_need){1, 0};
    made.tasks[1].first_need = 0;
    made.tasks[3].first_need = 1;
    made.tasks[1].need_count = made.tasks[3].need_count = 1;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_CYCLE);
    assert_true(bad == 1 || bad == 3);
    /* A task after the cycle is not the one to blame. */
    made.needs[2] = (struct pack_need){1, 0};
    made.tasks[0].first_need = 2;
    made.tasks[0].need_count = 1;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_CYCLE);
    assert_true(bad == 1 || bad == 3);
    made.tasks[0].need_count = made.tasks[1].need_count = made.tasks[3].need_count = 0;
    made.needs[0].task = 99;
    made.tasks[1].need_count = 1;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_CYCLE);
    made.tasks[1].need_count = 0;

    struct pack_task kept = made.tasks[2];
    made.tasks[2].least = made.tasks[2].most = 5;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FITS_NOWHERE);
    assert_int_equal(bad, 2);
    uint64_t none = 0;
    made.tasks[2] = kept;
    made.tasks[2].hosts = &none;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FITS_NOWHERE);
    made.tasks[2] = kept;
    float never[4] = {NAN, NAN, NAN, NAN};
    made.tasks[2].seconds = never;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_NO_TIME);
    assert_int_equal(bad, 2);
    assert_true(isnan(pack_lower_bound(&made.problem)));
    assert_true(isnan(pack_optimum(&made.problem, 1)));
    /* What was set before is still there. */
    assert_true(pack_best(packer)->fitness == fitness);
    made.tasks[2] = kept;
    made.problem.task_count = 0;
    assert_int_equal(pack_set(packer, &made.problem, &bad), pack_FINE);
    pack_steps(packer, 100);
    pack_work(packer, 0.01, NULL);
    assert_int_equal(pack_best(packer)->count, 0);
    pack_close(packer);
    problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_keeps_the_rules),
        cmocka_unit_test(tasks_wait_for_memory),
        cmocka_unit_test(tasks_go_where_their_data_is),
        cmocka_unit_test(evaluation_in_part_is_evaluation_of_all),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(children_are_valid),
        cmocka_unit_test(speculative_tasks_delay_nobody),
        cmocka_unit_test(changes_keep_what_was_known),
        cmocka_unit_test(uncertain_long_work_goes_early),
        cmocka_unit_test(what_cannot_be_packed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
