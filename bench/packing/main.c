/* Schedules of the packer, as lines for bench/schedule: see there.

    bench-packing atlas REGISTRATIONS SEED STEPS      table 3.4: makespan and idle time of each method
    bench-packing tasks REGISTRATIONS SEED -          its tasks: seconds on 1, 2, 4, 8, 16, most, needs
    bench-packing mix REGISTRATIONS SEED PATIENCE     table 3.5
    bench-packing optimum CASES SEED STEPS            against the optimum of small cases
    bench-packing large TASKS HOSTS PROCESSORS        first schedule, a change, and the lower bound
    bench-packing kinds | shapes | changes            docs/packing.md's figures */
#include "tests/packing/packing.h"
#include "kinds.h"
#include "live.h"
#include "small.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const char *method, double makespan, double idle)
{
    printf("%s\t%.17g\t%.17g\n", method, makespan, idle);
}

static void check(const struct pack_problem *problem, const struct pack_schedule *schedule)
{
    char *fault = pack_check(problem, schedule);
    if (fault) {
        fprintf(stderr, "a schedule breaks the rules: %s\n", fault);
        exit(1);
    }
}

static void run_atlas(unsigned registrations, uint64_t seed, uint64_t steps)
{
    struct workload workload = draw_atlases(registrations, seed);
    struct problem *problem = problem_of(&workload);
    for (unsigned method = 0; method < pack_METHOD_COUNT; method++) {
        struct pack_schedule schedule;
        if (!pack_by(method, &problem->problem, &schedule))
            continue;
        check(&problem->problem, &schedule);
        tell(pack_method_names[method], schedule.makespan, schedule.idle);
        pack_schedule_free(&schedule);
    }
    struct packer *packer = pack_open(seed, 2, &pack_usual_aims);
    uint32_t bad;
    if (pack_set(packer, &problem->problem, &bad) != pack_FINE)
        exit(1);
    pack_steps(packer, steps);
    const struct pack_schedule *best = pack_best(packer);
    check(&problem->problem, best);
    tell("assay", best->makespan, best->idle);
    tell("lower bound", pack_lower_bound(&problem->problem), 0);
    pack_close(packer);
    problem_free(problem);
    workload_free(&workload);
}

static void tell_atlas(unsigned registrations, uint64_t seed)
{
    struct workload workload = draw_atlases(registrations, seed);
    for (uint32_t i = 0; i < workload.count; i++) {
        const struct work *work = &workload.works[i];
        for (unsigned n = 1; n <= PROCESSORS; n *= 2)
            printf("%.3f ", work->seconds / speed_up(n));
        printf("%u", work->most);
        for (unsigned k = 0; k < work->need_count; k++)
            printf(" %u", work->needs[k]);
        putchar('\n');
    }
    workload_free(&workload);
}

static void run_mix(unsigned registrations, uint64_t seed, double patience)
{
    static const struct {
        const char *name;
        double subsampling;
    } columns[] = {{"fast", 5}, {"medium", 4}, {"slow", 3}, {"perfect", 0}};
    struct workload plain = draw_mix(registrations, seed, 0);
    struct problem *problem = problem_of(&plain);
    tell("FIFO, sequential", live_fifo(&plain, 1), 0);
    tell("FIFO, parallel", live_fifo(&plain, PROCESSORS), 0);
    tell("lower bound", pack_lower_bound(&problem->problem), 0);
    problem_free(problem);
    workload_free(&plain);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct workload workload = draw_mix(registrations, seed, columns[i].subsampling);
        struct live_result result = live_run(&workload, seed, 200, patience);
        printf("%s\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\n", columns[i].name, result.makespan, result.idle,
               result.charged, result.probes, result.packer);
        fflush(stdout);
        workload_free(&workload);
    }
}

int main(int count, char **words)
{
    double numbers[3] = {0, 0, 0};
    for (int i = 2; i < count && i < 5; i++)
        numbers[i - 2] = strtod(words[i], NULL);
    if (count == 5 && !strcmp(words[1], "atlas"))
        run_atlas((unsigned)numbers[0], (uint64_t)numbers[1], (uint64_t)numbers[2]);
    else if (count == 5 && !strcmp(words[1], "tasks"))
        tell_atlas((unsigned)numbers[0], (uint64_t)numbers[1]);
    else if (count == 5 && !strcmp(words[1], "mix"))
        run_mix((unsigned)numbers[0], (uint64_t)numbers[1], numbers[2]);
    else if (count == 5 && !strcmp(words[1], "optimum"))
        small_run((unsigned)numbers[0], (uint64_t)numbers[1], (uint64_t)numbers[2]);
    else if (count == 5 && !strcmp(words[1], "large"))
        large_run((unsigned)numbers[0], (unsigned)numbers[1], (unsigned)numbers[2]);
    else if (count == 2 && !strcmp(words[1], "kinds"))
        kinds_run();
    else if (count == 2 && !strcmp(words[1], "shapes"))
        shapes_run();
    else if (count == 2 && !strcmp(words[1], "changes"))
        changes_run();
    else
        return fputs("see bench/schedule\n", stderr), 2;
    return 0;
}
