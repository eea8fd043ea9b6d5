/* Problems of several kinds and shapes, for docs/packing.md: see kinds.h.

   Everything is drawn from fixed seeds and searched for a fixed number of steps, so the schedules are the
   same on every computer. Times are processor time. */
#include "tests/packing/packing.h"
#include "kinds.h"

#include "../../tests/unit/pack_problems.h"

#include <stdio.h>
#include <time.h>

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double packed(const struct pack_problem *problem, uint64_t steps, double *first)
{
    struct packer *packer = pack_open(1, 1, NULL);
    double makespan = NAN;
    if (pack_set(packer, problem, NULL) == pack_FINE) {
        if (first)
            *first = pack_best(packer)->makespan;
        pack_steps(packer, steps);
        makespan = pack_best(packer)->makespan;
        char *fault = pack_check(problem, pack_best(packer));
        if (fault)
            fprintf(stderr, "not a schedule: %s\n", fault);
        free(fault);
    }
    pack_close(packer);
    return makespan;
}

static double by(enum pack_method method, const struct pack_problem *problem)
{
    struct pack_schedule schedule;
    double makespan = pack_by(method, problem, &schedule) ? schedule.makespan : NAN;
    pack_schedule_free(&schedule);
    return makespan;
}

/* --- the optimum of 100 small problems of each kind --- */

static struct kinds small_kinds(unsigned kind, unsigned number, struct random *random)
{
    struct kinds kinds = {.hosts = 4, .tasks = 4 + random_below(random, 5), .most = 4, .needs = number % 2};
    kinds.processors_each = kind == 0   ? 1
                            : kind == 1 ? 1 + random_below(random, 4)
                                        : 1 + random_below(random, 2);
    kinds.spans = kind != 1;
    if (kind == 2) {
        kinds.most = 8;
        kinds.moves = number & 2;
        kinds.speeds = number & 4;
        kinds.releases = number & 8;
    }
    return kinds;
}

void kinds_run(void)
{
    static const char *const names[] = {"4 hosts of 1 processor, tasks span hosts",
                                        "4 hosts of 1 to 4, tasks on one host",
                                        "4 hosts of 1 or 2, both, data moves, speeds, releases"};
    printf("4 to 8 tasks, 20,000 steps; each method's makespan over the optimum, mean and worst\n");
    for (unsigned kind = 0; kind < 3; kind++) {
        struct random random = {2020 + kind};
        double sum[3] = {0}, worst[3] = {0}, longest = 0, all = 0;
        unsigned found = 0, exact = 0;
        for (unsigned number = 0; number < 100; number++) {
            struct kinds kinds = small_kinds(kind, number, &random);
            struct made_problem made;
            problem_random(&made, &kinds, &random);
            double begin = processor_time(), least = pack_optimum(&made.problem, 60);
            double took = processor_time() - begin;
            all += took;
            longest = fmax(longest, took);
            if (!isnan(least)) {
                double makespans[3] = {packed(&made.problem, 20000, NULL), by(pack_HEFT, &made.problem),
                                       by(pack_CPOP, &made.problem)};
                found++;
                exact += makespans[0] < least * (1 + 1e-6);
                for (unsigned i = 0; i < 3; i++) {
                    sum[i] += makespans[i] / least - 1;
                    worst[i] = fmax(worst[i], makespans[i] / least - 1);
                }
            }
            problem_free(&made);
        }
        printf("%s: optimum known of %u (%.2f s each, longest %.1f s)\n", names[kind], found, all / 100,
               longest);
        printf("  packer %.2f %% (worst %.1f %%, %u exact), HEFT %.1f %% (%.0f %%), CPOP %.1f %% (%.0f %%)\n",
               100 * sum[0] / found, 100 * worst[0], exact, 100 * sum[1] / found, 100 * worst[1],
               100 * sum[2] / found, 100 * worst[2]);
    }
}

/* --- registrations --- */

/* One of four bands, and a spread within it. */
static double registration(struct random *random)
{
    static const double bands[] = {2500, 6000, 10000, 18000};
    return bands[random_below(random, 4)] * (0.85 + 0.3 * random_share(random));
}

static struct pack_task a_task(struct arena *arena, uint32_t key, double seconds, uint32_t most, bool spans)
{
    return (struct pack_task){.key = key,
                              .deadline = INFINITY,
                              .weight = 1,
                              .spans = spans,
                              .least = 1,
                              .most = most,
                              .seconds = scaled(arena, seconds, 1, most)};
}

static void begin_problem(struct made_problem *made, uint32_t hosts, uint32_t each, uint32_t tasks,
                          uint32_t needs)
{
    *made = (struct made_problem){0};
    problem_hosts(made, hosts, each);
    made->tasks = arena_get(&made->arena, tasks * sizeof *made->tasks);
    made->needs = arena_get(&made->arena, (needs + 1) * sizeof *made->needs);
    made->problem.tasks = made->tasks;
    made->problem.needs = made->needs;
}

/* Registrations of which some need another one. */
static void registrations(struct made_problem *made, struct random *random, uint32_t count, uint32_t hosts,
                          uint32_t each, bool spans, double dependent)
{
    begin_problem(made, hosts, each, count, count);
    uint32_t needs = 0, most = spans ? hosts * each : each;
    for (uint32_t t = 0; t < count; t++) {
        made->tasks[t] = a_task(&made->arena, t, registration(random), most, spans);
        made->tasks[t].first_need = needs;
        if (t && random_share(random) < dependent) {
            made->tasks[t].need_count = 1;
            made->needs[needs++].task = random_below(random, t);
        }
    }
    made->problem.task_count = count;
}

/* --- large ones --- */

struct shape {
    uint32_t hosts, each, tasks;
    bool spans;
    double dependent;
};
static const struct shape shapes[] = {
    {128, 1, 1000, true, 0},     {128, 1, 1000, true, 0.3},    {8, 16, 1000, false, 0.3},
    {128, 16, 1000, false, 0.3}, {1000, 4, 10000, false, 0.3},
};

void shapes_run(void)
{
    printf("over the lower bound\n%6s %16s %7s %8s %8s %8s %12s %8s\n", "tasks", "hosts", "needs", "HEFT",
           "CPOP", "first", "steps/s", "40,000");
    for (unsigned i = 0; i < 4; i++) {
        const struct shape *shape = &shapes[i];
        struct random random = {77};
        struct made_problem made;
        registrations(&made, &random, shape->tasks, shape->hosts, shape->each, shape->spans,
                      shape->dependent);
        double bound = pack_lower_bound(&made.problem), first, begin = processor_time();
        double makespan = packed(&made.problem, 40000, &first);
        double rate = 40000 / (processor_time() - begin);
        printf("%6u %6u of %2u%s %5.0f %% %6.1f %% %6.1f %% %6.1f %% %12.0f %6.1f %%\n", shape->tasks,
               shape->hosts, shape->each, shape->spans ? " span" : "     ", 100 * shape->dependent,
               100 * (by(pack_HEFT, &made.problem) / bound - 1),
               100 * (by(pack_CPOP, &made.problem) / bound - 1), 100 * (first / bound - 1), rate,
               100 * (makespan / bound - 1));
        problem_free(&made);
    }
}

/* The last tasks come after the search has run, others are done then, and a host is lost. */
void changes_run(void)
{
    printf("processor time of pack_set and the schedule after it, and how far it is over the lower bound\n");
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i];
        struct random random = {77};
        struct made_problem made;
        registrations(&made, &random, shape->tasks + 20, shape->hosts, shape->each, shape->spans, 0);
        struct packer *packer = pack_open(1, 1, NULL);
        printf("%u tasks on %u hosts of %u%s:", shape->tasks, shape->hosts, shape->each,
               shape->spans ? ", spanning" : "");
        for (unsigned step = 0; step < 3; step++) {
            made.problem.tasks = made.tasks + (step == 2 ? 20 : 0);
            made.problem.task_count = step == 1 ? shape->tasks + 20 : shape->tasks;
            made.problem.host_count = step == 2 ? shape->hosts - 1 : shape->hosts;
            double begin = processor_time();
            pack_set(packer, &made.problem, NULL);
            double makespan = pack_best(packer)->makespan, took = processor_time() - begin;
            static const char *const names[] = {"first", "20 tasks more", "20 tasks and a host less"};
            printf("%s %s %.0f ms, %.1f %%", step ? ";" : "", names[step], 1000 * took,
                   100 * (makespan / pack_lower_bound(&made.problem) - 1));
            pack_steps(packer, shape->tasks > 1000 ? 200 : 10000);
        }
        printf("\n");
        pack_close(packer);
        problem_free(&made);
    }
}
