/* Draws workloads: see workload.h. */
#include "workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double bands[] = {2500, 6000, 11000, 18000}; /* average seconds of each */
static const double variation = 0.3;                      /* of the logarithm, around the average */
static const double bet_seconds = 30, atlas_seconds = 40;

uint64_t draw_number(uint64_t *seed)
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

double draw_between(uint64_t *seed, double least, double most)
{
    return least + (most - least) * ((double)(draw_number(seed) >> 11) / 9007199254740992.0);
}

double draw_normal(uint64_t *seed)
{
    double u = draw_between(seed, 1e-12, 1), v = draw_between(seed, 0, 1);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Table 3.3, second column; straight lines between its rows. */
double speed_up(unsigned processors)
{
    static const struct {
        double processors, speed_up;
    } rows[] = {{1, 1}, {2, 1.9}, {4, 3.7}, {8, 6.2}, {16, 10.8}};
    for (size_t i = 1; i < sizeof rows / sizeof *rows; i++)
        if (processors <= rows[i].processors)
            return rows[i - 1].speed_up + (rows[i].speed_up - rows[i - 1].speed_up) *
                                              (processors - rows[i - 1].processors) /
                                              (rows[i].processors - rows[i - 1].processors);
    return rows[4].speed_up;
}

void work_set_estimate(struct work *work, double seconds)
{
    work->estimate = seconds;
    for (unsigned n = 1; n <= PROCESSORS; n++)
        work->times[n - 1] = (float)(seconds / speed_up(n));
}

static double draw_registration(uint64_t *seed)
{
    double average = bands[draw_number(seed) % 4];
    return average * exp(variation * draw_normal(seed) - variation * variation / 2);
}

static struct work *add(struct workload *workload, double seconds, unsigned most)
{
    workload->works = realloc(workload->works, (workload->count + 1) * sizeof *workload->works);
    struct work *work = &workload->works[workload->count++];
    memset(work, 0, sizeof *work);
    work->seconds = work->predicted = seconds;
    work->most = most;
    work_set_estimate(work, seconds);
    return work;
}

static void need(struct workload *workload, uint32_t task, uint32_t needed)
{
    struct work *work = &workload->works[task];
    if (work->need_count < MOST_NEEDS)
        work->needs[work->need_count++] = needed;
}

struct workload draw_atlases(unsigned registrations, uint64_t seed)
{
    struct workload drawn = {0};
    for (unsigned first = 0; first < registrations; first += 16) {
        uint32_t begin = drawn.count;
        for (unsigned i = 0; i < 16; i++)
            add(&drawn, bet_seconds, 1);
        for (unsigned i = 0; i < 16; i++) {
            add(&drawn, draw_registration(&seed), PROCESSORS);
            need(&drawn, drawn.count - 1, begin + i);
        }
        add(&drawn, atlas_seconds, 1);
        for (unsigned i = 0; i < 16; i++)
            need(&drawn, drawn.count - 1, begin + 16 + i);
    }
    return drawn;
}

/* 4x in each direction costs 1/64 to 1/20 of the run (3.7), both probes together; others by their voxels. The
   error of a prediction: below 20 % on average, never above 80 % (3.5.1). */
static const double finest = 1.0 / 20, coarsest = 1.0 / 64, identity_part = 0.3;
static const double mean_error[] = {0.15, 0.17, 0.19}; /* 3x, 4x, 5x */

static double draw_error(uint64_t *seed, double subsampling)
{
    double mean = mean_error[subsampling <= 3 ? 0 : subsampling <= 4 ? 1 : 2];
    double error = -mean * log(draw_between(seed, 1e-12, 1));
    error = error > 0.8 ? 0.8 : error;
    return draw_number(seed) & 1 ? error : -error / (1 + error);
}

struct workload draw_mix(unsigned registrations, uint64_t seed, double subsampling)
{
    struct workload drawn = {0};
    uint64_t probe_seed = seed ^ 0x5eed; /* the registrations are the same for any kind of probes */
    uint32_t *numbers = calloc(registrations, sizeof *numbers);
    for (unsigned i = 0; i < registrations; i++) {
        double seconds = draw_registration(&seed);
        uint32_t first_probe = drawn.count;
        if (subsampling > 0) {
            double part =
                exp(draw_between(&probe_seed, log(coarsest), log(finest))) * pow(4 / subsampling, 3);
            add(&drawn, seconds * part * (1 - identity_part), 1)->is_probe = true;
            add(&drawn, seconds * part * identity_part, 1)->is_probe = true;
        }
        numbers[i] = drawn.count;
        add(&drawn, seconds, PROCESSORS);
        if (subsampling > 0) {
            drawn.works[numbers[i]].predicted = seconds * (1 + draw_error(&probe_seed, subsampling));
            need(&drawn, numbers[i], first_probe);
            need(&drawn, numbers[i], first_probe + 1);
        }
        if (i && draw_between(&seed, 0, 1) < 0.2)
            need(&drawn, numbers[i], numbers[draw_number(&seed) % i]);
    }
    free(numbers);
    return drawn;
}

void workload_free(struct workload *workload)
{
    free(workload->works);
    *workload = (struct workload){0};
}

struct problem *problem_of(const struct workload *workload)
{
    struct problem *made = calloc(1, sizeof *made);
    uint32_t needs = 0;
    made->tasks = calloc(workload->count, sizeof *made->tasks);
    made->needs = calloc(workload->count * MOST_NEEDS, sizeof *made->needs);
    for (uint32_t i = 0; i < PROCESSORS; i++)
        made->hosts[i] = (struct pack_host){.key = i + 1, .first = i, .count = 1, .speed = 1};
    for (uint32_t i = 0; i < workload->count; i++) {
        const struct work *work = &workload->works[i];
        made->tasks[i] = (struct pack_task){.key = i + 1,
                                            .deadline = INFINITY,
                                            .weight = 1,
                                            .priority = work->is_probe,
                                            .spans = true,
                                            .least = 1,
                                            .most = work->most,
                                            .seconds = work->times,
                                            .first_need = needs,
                                            .need_count = work->need_count};
        for (unsigned k = 0; k < work->need_count; k++)
            made->needs[needs++].task = work->needs[k];
    }
    made->problem = (struct pack_problem){.hosts = made->hosts,
                                          .host_count = PROCESSORS,
                                          .releases = made->releases,
                                          .processor_count = PROCESSORS,
                                          .tasks = made->tasks,
                                          .task_count = workload->count,
                                          .needs = made->needs};
    return made;
}

void problem_free(struct problem *problem)
{
    free(problem->tasks);
    free(problem->needs);
    free(problem);
}
