/* A walk through memory, measured in this process: latency of a chain of loads, or cycles of a stream.

   A sample is a piece of the walk, as long as other samples are.  The next one goes on after it, so that a
   region that is larger than a cache never has its lines there, and an interruption spoils one piece.  What entering
   takes is small beside a piece.  Before the first sample the walk goes through the whole region, so that its
   lines are where they will be, but no longer than WARM_SECONDS: caches do not hold more than that. */
#include "runtime/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { REPETITIONS = 4, WARM_PASSES = 3, TRIALS = 20, MOST_TRIPS = 1 << 24 };
static const double STEADY = 0.01, WARM_SECONDS = 0.4;

double bench_walk_on(struct bench_walk *walk)
{
    uint64_t start = bench_ticks();
    bench_enter(&walk->context);
    uint64_t ticks = bench_ticks() - start;
    walk->context.general[BENCH_WALKING] = walk->context.walked;
    walk->units += (uint64_t)walk->trips * walk->test->copies[1];
    return (double)ticks;
}

static void change_trips(struct bench_walk *walk, double trips)
{
    walk->trips = trips < 1 ? 1 : trips > MOST_TRIPS ? MOST_TRIPS : (uint32_t)trips;
    bench_code_change_trips(&walk->code, walk->trips, walk->test->counter);
}

/* So many that a piece takes as long as a sample should. */
static void choose_trips(struct bench_walk *walk)
{
    double wanted = walk->clock->sample_ticks, ticks = 1;
    change_trips(walk, 1);
    for (int i = 0; i < TRIALS; i++) {
        /* The first of changed code takes longer, in an emulator much longer, and any may be interrupted. */
        ticks = fmin(bench_walk_on(walk), fmin(bench_walk_on(walk), bench_walk_on(walk))) + 1;
        if (ticks > wanted / 2)
            break;
        change_trips(walk, walk->trips * fmin(4, wanted / ticks));
    }
    change_trips(walk, walk->trips * wanted / ticks);
}

static void warm_up(struct bench_walk *walk)
{
    double most = WARM_SECONDS * bench_ticks_per_second();
    uint64_t end = walk->units + WARM_PASSES * walk->test->pass;
    for (double spent = 0; spent < most && walk->units < end;)
        spent += bench_walk_on(walk);
}

static void take_samples(struct bench_walk *walk, struct bench_result *result)
{
    double cycles[BENCH_SAMPLES], ticks[BENCH_SAMPLES];
    double units = (double)walk->trips * walk->test->copies[1];
    for (int i = 0; i < BENCH_SAMPLES; i++) {
        double before = bench_clock_tick(walk->clock);
        double piece = bench_walk_on(walk);
        double after = bench_clock_tick(walk->clock);
        ticks[i] = before < after ? before : after;
        cycles[i] = piece / ticks[i] / units;
    }
    qsort(cycles, BENCH_SAMPLES, sizeof *cycles, bench_by_size);
    qsort(ticks, BENCH_SAMPLES, sizeof *ticks, bench_by_size);
    *result = (struct bench_result){.status = bench_MEASURED,
                                    .best = cycles[0],
                                    .median = cycles[BENCH_SAMPLES / 2],
                                    .spread = cycles[BENCH_SAMPLES / 2] / cycles[0] - 1,
                                    .ghz = bench_ticks_per_second() / ticks[BENCH_SAMPLES / 2] * 1e-9};
}

int bench_walk_begin(struct bench_walk *walk, struct bench_clock *clock, const struct bench_test *test)
{
    *walk = (struct bench_walk){.clock = clock, .test = test, .trips = 1};
    int failed = bench_memory_begin(&walk->memory, test);
    if (!failed)
        failed = bench_code_make(&walk->code, test->unit, test->unit_size, test->copies[1], 1, test->counter);
    if (failed)
        return failed;
    bench_set_registers(&walk->context, test, &walk->memory);
    walk->context.code = (uint64_t)(uintptr_t)walk->code.start;
    choose_trips(walk);
    warm_up(walk);
    return 0;
}

void bench_walk_measure(struct bench_walk *walk, struct bench_result *result)
{
    choose_trips(walk);
    for (int i = 0; i < REPETITIONS; i++) {
        struct bench_result next;
        take_samples(walk, &next);
        if (i == 0 || next.spread < result->spread)
            *result = next;
        if (result->spread < STEADY)
            break;
    }
    if (!(result->best > 0)) /* less than the counter can tell */
        result->status = bench_FAILED;
}

void bench_walk_end(struct bench_walk *walk)
{
    bench_code_free(&walk->code);
    bench_memory_end(&walk->memory);
}

void bench_measure_walk(struct bench_clock *clock, const struct bench_test *test, struct bench_result *result)
{
    struct bench_walk walk;
    *result = (struct bench_result){.status = bench_FAILED};
    if (!bench_walk_begin(&walk, clock, test))
        bench_walk_measure(&walk, result);
    bench_walk_end(&walk);
}
