/* A walk through memory, measured in this process: latency of a chain of loads, or cycles of a stream.

   A sample is a piece of the walk, as long as other samples are.  The next one goes on after it, so that a
   region that is larger than a cache never has its lines there, and an interruption spoils one piece.  What entering
   takes is small beside a piece.  Before the first sample the walk goes through the whole region, so that its
   lines are where they will be, but no longer than WARM_SECONDS: caches do not hold more than that. */
#include "runtime/gauge/gauge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { REPETITIONS = 4, WARM_PASSES = 3, TRIALS = 20, MOST_TRIPS = 1 << 24 };
static const double STEADY = 0.01, WARM_SECONDS = 0.4;

double gauge_walk_on(struct gauge_walk *walk)
{
    uint64_t start = gauge_ticks();
    gauge_enter(&walk->context);
    uint64_t ticks = gauge_ticks() - start;
    walk->context.general[GAUGE_WALKING] = walk->context.walked;
    walk->units += (uint64_t)walk->trips * walk->test->copies[1];
    return (double)ticks;
}

static void change_trips(struct gauge_walk *walk, double trips)
{
    walk->trips = trips < 1 ? 1 : trips > MOST_TRIPS ? MOST_TRIPS : (uint32_t)trips;
    gauge_code_change_trips(&walk->code, walk->trips, walk->test->counter);
}

/* So many that a piece takes as long as a sample should. */
static void choose_trips(struct gauge_walk *walk)
{
    double wanted = walk->clock->sample_ticks, ticks = 1;
    change_trips(walk, 1);
    for (int i = 0; i < TRIALS; i++) {
        ticks = gauge_walk_on(walk) + 1;
        if (ticks > wanted / 2)
            break;
        change_trips(walk, walk->trips * fmin(4, wanted / ticks));
    }
    change_trips(walk, walk->trips * wanted / ticks);
}

static void warm_up(struct gauge_walk *walk)
{
    double most = WARM_SECONDS * gauge_ticks_per_second();
    uint64_t end = walk->units + WARM_PASSES * walk->test->pass;
    for (double spent = 0; spent < most && walk->units < end;)
        spent += gauge_walk_on(walk);
}

static void take_samples(struct gauge_walk *walk, struct gauge_result *result)
{
    double cycles[GAUGE_SAMPLES], ticks[GAUGE_SAMPLES];
    double units = (double)walk->trips * walk->test->copies[1];
    for (int i = 0; i < GAUGE_SAMPLES; i++) {
        double before = gauge_clock_tick(walk->clock);
        double piece = gauge_walk_on(walk);
        double after = gauge_clock_tick(walk->clock);
        ticks[i] = before < after ? before : after;
        cycles[i] = piece / ticks[i] / units;
    }
    qsort(cycles, GAUGE_SAMPLES, sizeof *cycles, gauge_by_size);
    qsort(ticks, GAUGE_SAMPLES, sizeof *ticks, gauge_by_size);
    *result = (struct gauge_result){.status = gauge_MEASURED,
                                    .best = cycles[0],
                                    .median = cycles[GAUGE_SAMPLES / 2],
                                    .spread = cycles[GAUGE_SAMPLES / 2] / cycles[0] - 1,
                                    .ghz = gauge_ticks_per_second() / ticks[GAUGE_SAMPLES / 2] * 1e-9};
}

int gauge_walk_begin(struct gauge_walk *walk, struct gauge_clock *clock, const struct gauge_test *test)
{
    *walk = (struct gauge_walk){.clock = clock, .test = test, .trips = 1};
    int failed = gauge_memory_begin(&walk->memory, test);
    if (!failed)
        failed = gauge_code_make(&walk->code, test->unit, test->unit_size, test->copies[1], 1, test->counter);
    if (failed)
        return failed;
    gauge_set_registers(&walk->context, test, &walk->memory);
    walk->context.code = (uint64_t)(uintptr_t)walk->code.start;
    choose_trips(walk);
    warm_up(walk);
    return 0;
}

void gauge_walk_measure(struct gauge_walk *walk, struct gauge_result *result)
{
    choose_trips(walk);
    for (int i = 0; i < REPETITIONS; i++) {
        struct gauge_result next;
        take_samples(walk, &next);
        if (i == 0 || next.spread < result->spread)
            *result = next;
        if (result->spread < STEADY)
            break;
    }
}

void gauge_walk_end(struct gauge_walk *walk)
{
    gauge_code_free(&walk->code);
    gauge_memory_end(&walk->memory);
}

void gauge_measure_walk(struct gauge_clock *clock, const struct gauge_test *test, struct gauge_result *result)
{
    struct gauge_walk walk;
    *result = (struct gauge_result){.status = gauge_FAILED};
    if (!gauge_walk_begin(&walk, clock, test))
        gauge_walk_measure(&walk, result);
    gauge_walk_end(&walk);
}
