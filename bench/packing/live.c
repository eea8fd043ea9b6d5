/* The clock that charges the packer's time: see live.h. */
#include "live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What a scheduler knows about errors of its estimates: a task that should have ended will take this part of
   its time more, and one that is about to end may take a little longer. */
static const double overrun = 0.2, spread = 0.22;
/* Nothing is known about a task: the bands of registrations are that far apart. */
static const double unknown = 0.8;

enum state { WAITING, RUNNING, DONE };

struct running {
    enum state state;
    double begins, ends, expected; /* ends: in truth */
    unsigned processors;
};

struct live {
    struct workload *workload;
    struct running *running; /* by number of the work */
    struct packer *packer;
    int32_t on[PROCESSORS]; /* number of the work that runs there; -1: none */
    double now, faster;
    bool has_errors; /* estimates come from probes */
    struct problem *problem;
    uint32_t *numbers; /* of works, by number of the packer's task */
    struct live_result result;
};

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double expected_end(const struct live *live, uint32_t work)
{
    const struct running *running = &live->running[work];
    double end = running->begins + running->expected, error = spread * running->expected;
    if (end <= live->now)
        return live->now + overrun * (live->now - running->begins);
    return live->has_errors ? end + error / 2 * exp((live->now - end) / error) : end;
}

/* Works without an estimate get the mean of those of their kind so far (3.7). */
static void guess(struct live *live)
{
    double sums[2] = {0, 0}, guesses[2] = {60, 3600};
    unsigned counts[2] = {0, 0};
    for (uint32_t i = 0; i < live->workload->count; i++) {
        const struct work *work = &live->workload->works[i];
        if (!isnan(work->estimate)) {
            sums[!work->is_probe] += work->estimate;
            counts[!work->is_probe]++;
        }
    }
    for (unsigned kind = 0; kind < 2; kind++)
        if (counts[kind])
            guesses[kind] = sums[kind] / counts[kind];
    for (uint32_t i = 0; i < live->workload->count; i++) {
        struct work *work = &live->workload->works[i];
        if (!isnan(work->estimate))
            continue;
        work_set_estimate(work, guesses[!work->is_probe]);
        work->estimate = NAN;
    }
}

static float spread_of(const struct live *live, const struct work *work)
{
    if (!live->has_errors || work->is_probe)
        return 0;
    return (float)(isnan(work->estimate) ? unknown : spread);
}

/* Tells the packer what is left. */
static void set(struct live *live)
{
    struct problem *problem = live->problem;
    uint32_t *place = calloc(live->workload->count, sizeof *place), count = 0, needs = 0;
    guess(live);
    for (uint32_t i = 0; i < live->workload->count; i++)
        if (live->running[i].state == WAITING) {
            live->numbers[count] = i;
            place[i] = count++;
        }
    for (uint32_t t = 0; t < count; t++) {
        const struct work *work = &live->workload->works[live->numbers[t]];
        struct pack_task task = {.key = live->numbers[t] + 1,
                                 .deadline = INFINITY,
                                 .weight = 1,
                                 .priority = work->is_probe,
                                 .spread = spread_of(live, work),
                                 .spans = true,
                                 .least = 1,
                                 .most = work->most,
                                 .seconds = work->times,
                                 .first_need = needs};
        for (unsigned k = 0; k < work->need_count; k++) {
            const struct running *needed = &live->running[work->needs[k]];
            if (needed->state == WAITING)
                problem->needs[needs++] = (struct pack_need){.task = place[work->needs[k]]};
            else if (needed->state == RUNNING)
                task.ready = fmax(task.ready, expected_end(live, work->needs[k]));
        }
        task.need_count = needs - task.first_need;
        problem->tasks[t] = task;
    }
    free(place);
    for (unsigned i = 0; i < PROCESSORS; i++)
        problem->releases[i] = live->on[i] < 0 ? live->now : expected_end(live, (uint32_t)live->on[i]);
    problem->problem.now = live->now;
    problem->problem.task_count = count;
    uint32_t bad = 0;
    enum pack_fault fault = pack_set(live->packer, &problem->problem, &bad);
    if (fault != pack_FINE) {
        fprintf(stderr, "the packer refuses a problem (%d, task %u)\n", (int)fault, bad);
        exit(1);
    }
}

static bool can_start(const struct live *live, uint32_t work, const uint32_t *processors, unsigned count)
{
    for (unsigned k = 0; k < live->workload->works[work].need_count; k++)
        if (live->running[live->workload->works[work].needs[k]].state != DONE)
            return false;
    for (unsigned i = 0; i < count; i++)
        if (live->on[processors[i]] >= 0)
            return false;
    return live->running[work].state == WAITING;
}

/* Starts what the schedule has at its front. */
static unsigned start(struct live *live)
{
    const struct pack_schedule *schedule = pack_best(live->packer);
    unsigned started = 0;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const struct pack_placed *placed = &schedule->placed[i];
        uint32_t number = live->numbers[placed->task];
        const uint32_t *processors = schedule->processors + placed->first;
        if (placed->begins > live->now + 1e-6 || !can_start(live, number, processors, placed->count))
            continue;
        const struct work *work = &live->workload->works[number];
        live->running[number] =
            (struct running){RUNNING, live->now, live->now + work->seconds / speed_up(placed->count),
                             work->times[placed->count - 1], placed->count};
        for (uint32_t k = 0; k < placed->count; k++)
            live->on[processors[k]] = (int32_t)number;
        started++;
    }
    return started;
}

static double next_end(const struct live *live)
{
    double next = INFINITY;
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (live->on[i] >= 0)
            next = fmin(next, live->running[live->on[i]].ends);
    return next;
}

static void end(struct live *live, uint32_t number)
{
    struct running *running = &live->running[number];
    struct work *work = &live->workload->works[number];
    running->state = DONE;
    live->result.makespan = fmax(live->result.makespan, running->ends);
    work_set_estimate(work, work->seconds);
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (live->on[i] == (int32_t)number)
            live->on[i] = -1;
    for (uint32_t i = number + 1; work->is_probe && i <= number + 2 && i < live->workload->count; i++) {
        struct work *measured = &live->workload->works[i];
        bool has_all = !measured->is_probe && isnan(measured->estimate);
        for (unsigned k = 0; has_all && k < measured->need_count; k++)
            has_all = !live->workload->works[measured->needs[k]].is_probe ||
                      live->running[measured->needs[k]].state == DONE;
        if (has_all)
            work_set_estimate(measured, measured->predicted);
    }
}

static unsigned take_ends(struct live *live)
{
    unsigned ended = 0;
    for (uint32_t i = 0; i < live->workload->count; i++)
        if (live->running[i].state == RUNNING && live->running[i].ends <= live->now + 1e-9) {
            end(live, i);
            ended++;
        }
    return ended;
}

/* A problem is told and a schedule is there: what that took has passed for the cluster, too. */
static void plan(struct live *live, bool is_charged)
{
    double before = processor_seconds();
    set(live);
    pack_work(live->packer, 0, NULL);
    pack_best(live->packer);
    double took = processor_seconds() - before;
    live->result.packer += took;
    if (is_charged) {
        live->now += took * live->faster;
        live->result.charged += took * live->faster;
    }
}

/* Searches until the next event, if there is patience, for the plan after it. */
static void search(struct live *live, double until, double patience)
{
    double budget = (until - live->now) / live->faster;
    budget = budget < patience ? budget : patience;
    double before = processor_seconds();
    plan(live, false);
    double left = budget - (processor_seconds() - before);
    if (left > 0)
        pack_work(live->packer, left, NULL);
    live->result.packer += processor_seconds() - before;
    unsigned free_processors = 0;
    for (unsigned i = 0; i < PROCESSORS; i++)
        free_processors += live->on[i] < 0;
    double later = live->now + (processor_seconds() - before) * live->faster;
    if (free_processors && later < until) {
        live->now = later;
        start(live);
    }
}

static double work_done(const struct live *live, bool probes_only)
{
    double sum = 0;
    for (uint32_t i = 0; i < live->workload->count; i++)
        if (!probes_only || live->workload->works[i].is_probe)
            sum += (live->running[i].ends - live->running[i].begins) * live->running[i].processors;
    return sum;
}

struct live_result live_run(struct workload *workload, uint64_t seed, double faster, double patience)
{
    struct live live = {.workload = workload, .faster = faster, .problem = problem_of(workload)};
    live.running = calloc(workload->count, sizeof *live.running);
    live.numbers = calloc(workload->count, sizeof *live.numbers);
    live.packer = pack_open(seed, 1, &pack_usual_aims);
    for (uint32_t i = 0; i < workload->count; i++)
        live.has_errors |= workload->works[i].is_probe;
    for (uint32_t i = 0; live.has_errors && i < workload->count; i++)
        workload->works[i].estimate = NAN;
    for (unsigned i = 0; i < PROCESSORS; i++)
        live.on[i] = -1;
    uint32_t left = workload->count;
    while (left) {
        plan(&live, true);
        left -= take_ends(&live);
        start(&live);
        double next = next_end(&live);
        if (isinf(next)) {
            fprintf(stderr, "nothing runs, and the schedule starts nothing (%u tasks left)\n", left);
            exit(1);
        }
        if (next > live.now && left)
            search(&live, next, patience);
        next = next_end(&live);
        live.now = fmax(live.now, next);
        left -= take_ends(&live);
    }
    live.result.idle = 1 - work_done(&live, false) / (live.result.makespan * PROCESSORS);
    live.result.probes = work_done(&live, true) / work_done(&live, false);
    pack_close(live.packer);
    problem_free(live.problem);
    free(live.running);
    free(live.numbers);
    return live.result;
}

double live_fifo(const struct workload *workload, unsigned processors)
{
    double *ends = calloc(workload->count, sizeof *ends), free_at[PROCESSORS] = {0}, last = 0, makespan = 0;
    for (uint32_t i = 0; i < workload->count; i++) {
        const struct work *work = &workload->works[i];
        if (work->is_probe)
            continue;
        unsigned count = processors < work->most ? processors : work->most;
        double begins = last;
        for (unsigned k = 0; k < work->need_count; k++)
            begins = fmax(begins, ends[work->needs[k]]);
        for (unsigned k = 0; k < count; k++) { /* the processors that are free first */
            unsigned first = k;
            for (unsigned j = k + 1; j < PROCESSORS; j++)
                if (free_at[j] < free_at[first])
                    first = j;
            double time = free_at[first];
            free_at[first] = free_at[k];
            free_at[k] = time;
            begins = fmax(begins, time);
        }
        last = begins;
        ends[i] = begins + work->seconds / speed_up(count);
        for (unsigned k = 0; k < count; k++)
            free_at[k] = ends[i];
        makespan = fmax(makespan, ends[i]);
    }
    free(ends);
    return makespan;
}
