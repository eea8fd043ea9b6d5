/* Random problems: see small.h. */
#include "tests/packing/packing.h"
#include "small.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct random_problem {
    struct pack_problem problem;
    struct pack_host *hosts;
    struct pack_task *tasks;
    struct pack_need *needs;
    double *releases;
    float *seconds;
};

static double seconds_of(clockid_t which)
{
    struct timespec time;
    clock_gettime(which, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Amdahl's law; a fifth of the tasks needs one or two earlier ones.  With one processor for each host, tasks
   may use several hosts; else they stay within one. */
static struct random_problem draw_problem(uint64_t *seed, uint32_t tasks, uint32_t hosts, uint32_t each)
{
    uint32_t widest = each > 1 ? each : 4;
    struct random_problem drawn = {.hosts = calloc(hosts, sizeof *drawn.hosts),
                                   .tasks = calloc(tasks, sizeof *drawn.tasks),
                                   .needs = calloc(2 * tasks, sizeof *drawn.needs),
                                   .releases = calloc(hosts * each, sizeof *drawn.releases),
                                   .seconds = calloc(tasks * widest, sizeof *drawn.seconds)};
    uint32_t needs = 0;
    for (uint32_t h = 0; h < hosts; h++)
        drawn.hosts[h] = (struct pack_host){h + 1, h * each, each, 1};
    for (uint32_t t = 0; t < tasks; t++) {
        struct pack_task *task = &drawn.tasks[t];
        double seconds = draw_between(seed, 500, 5000);
        double serial = draw_between(seed, 0.02, 0.2);
        uint32_t most = 1 + (uint32_t)(draw_number(seed) % widest);
        *task = (struct pack_task){.key = t + 1,
                                   .deadline = INFINITY,
                                   .weight = 1,
                                   .spans = each == 1,
                                   .least = 1,
                                   .most = most,
                                   .seconds = drawn.seconds + t * widest,
                                   .first_need = needs};
        for (uint32_t n = 1; n <= most; n++)
            drawn.seconds[t * widest + n - 1] = (float)(seconds * (serial + (1 - serial) / n));
        unsigned wanted = t && draw_between(seed, 0, 1) < 0.2 ? 1 + draw_number(seed) % 2 : 0;
        for (unsigned k = 0; k < wanted; k++)
            drawn.needs[needs++].task =
                (uint32_t)(draw_number(seed) % (t < 200 ? t : 200)); /* short chains */
        if (wanted == 2 && drawn.needs[needs - 1].task == drawn.needs[needs - 2].task)
            needs--;
        task->need_count = needs - task->first_need;
    }
    drawn.problem = (struct pack_problem){.hosts = drawn.hosts,
                                          .host_count = hosts,
                                          .releases = drawn.releases,
                                          .processor_count = hosts * each,
                                          .tasks = drawn.tasks,
                                          .task_count = tasks,
                                          .needs = drawn.needs};
    return drawn;
}

static void free_problem(struct random_problem *problem)
{
    free(problem->hosts);
    free(problem->tasks);
    free(problem->needs);
    free(problem->releases);
    free(problem->seconds);
}

static const struct pack_schedule *set(struct packer *packer, const struct pack_problem *problem)
{
    uint32_t bad;
    if (pack_set(packer, problem, &bad) != pack_FINE) {
        fputs("the packer refuses a problem\n", stderr);
        exit(1);
    }
    pack_work(packer, 0, NULL);
    return pack_best(packer);
}

/* A line for each case: tasks, optimum (nan: not found in time), ours, and the other methods. */
void small_run(unsigned cases, uint64_t seed, uint64_t steps)
{
    for (unsigned i = 0; i < cases; i++) {
        uint32_t tasks = 4 + i % 5;
        struct random_problem drawn = draw_problem(&seed, tasks, 4, 1 + i % 2);
        struct packer *packer = pack_open(seed, 1, &pack_usual_aims);
        set(packer, &drawn.problem);
        pack_steps(packer, steps);
        double ours = pack_best(packer)->makespan;
        printf("%u\t%.17g\t%.17g", tasks, pack_optimum(&drawn.problem, 20), ours);
        for (unsigned method = 0; method < pack_METHOD_COUNT; method++) {
            struct pack_schedule schedule;
            double makespan = NAN;
            if (pack_by(method, &drawn.problem, &schedule)) {
                makespan = schedule.makespan;
                pack_schedule_free(&schedule);
            }
            printf("\t%.17g", makespan);
        }
        printf("\n");
        fflush(stdout);
        pack_close(packer);
        free_problem(&drawn);
    }
}

/* what, makespan, lower bound, processor time, elapsed */
struct stopwatch {
    double cpu, wall;
};

static struct stopwatch started(void)
{
    return (struct stopwatch){seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_MONOTONIC)};
}

static void tell(const char *what, double makespan, const struct pack_problem *problem,
                 struct stopwatch since)
{
    struct stopwatch now = started();
    printf("%s\t%.17g\t%.17g\t%.17g\t%.17g\n", what, makespan, pack_lower_bound(problem), now.cpu - since.cpu,
           now.wall - since.wall);
    fflush(stdout);
}

/* The methods to compare with take minutes for more tasks than this. */
enum { MOST_COMPARED = 1000 };

void large_run(unsigned tasks, unsigned hosts, unsigned each)
{
    uint64_t seed = 1;
    struct random_problem drawn = draw_problem(&seed, tasks, hosts, each);
    struct stopwatch since;
    for (unsigned method = 0; method < pack_METHOD_COUNT && tasks <= MOST_COMPARED; method++) {
        struct pack_schedule schedule;
        since = started();
        if (!pack_by(method, &drawn.problem, &schedule))
            continue;
        tell(pack_method_names[method], schedule.makespan, &drawn.problem, since);
        pack_schedule_free(&schedule);
    }
    since = started();
    struct packer *packer = pack_open(seed, 2, &pack_usual_aims);
    double makespan = set(packer, &drawn.problem)->makespan;
    tell("first schedule", makespan, &drawn.problem, since);
    pack_work(packer, 5, NULL);
    tell("after 5 s of search", pack_best(packer)->makespan, &drawn.problem, since);
    uint32_t changed = tasks / 2; /* takes three times as long */
    for (uint32_t n = 0; n < drawn.tasks[changed].most; n++)
        drawn.seconds[drawn.tasks[changed].seconds - drawn.seconds + n] *= 3;
    since = started();
    makespan = set(packer, &drawn.problem)->makespan;
    tell("a changed estimate", makespan, &drawn.problem, since);
    drawn.problem.host_count--; /* the last host fails */
    drawn.problem.processor_count -= each;
    since = started();
    makespan = set(packer, &drawn.problem)->makespan;
    tell("a lost host", makespan, &drawn.problem, since);
    pack_close(packer);
    free_problem(&drawn);
}
