#include "run/sample/perf_data/clock.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_RATES = 1 << 16, ENOUGH = 20, SHORTEST = 10000, LONGEST = 200000000 /* nanoseconds */ };
static const double SLOWEST = 1e7, FASTEST = 2e10;

/* Rates are kept evenly over the recording: when there is no room, every second one goes. */
static void keep(struct perf_data_clock *clock, double rate)
{
    if (!clock->rates.width)
        clock->rates = ARRAY_OF(double);
    if (++clock->passed < clock->step)
        return;
    clock->passed = 0;
    if (clock->rates.count == MOST_RATES) {
        for (size_t i = 0; i < MOST_RATES / 2; i++)
            *ARRAY_AT(double, &clock->rates, i) = *ARRAY_AT(double, &clock->rates, 2 * i);
        clock->rates.count = MOST_RATES / 2;
        clock->step = clock->step ? 2 * clock->step : 2;
    }
    *(double *)array_push(&clock->rates) = rate;
}

void perf_data_clock_take(struct perf_data_clock *clock, const struct perf_data_sample *sample)
{
    uint32_t place = (sample->has_processor ? sample->processor : sample->thread) % PERF_DATA_PROCESSORS;
    uint64_t before = clock->latest[place].time, gap = sample->time - before;
    bool is_same = before && clock->latest[place].thread == sample->thread && sample->time > before;
    clock->latest[place].time = sample->time;
    clock->latest[place].thread = sample->thread;
    double rate = gap ? (double)sample->period / (double)gap * 1e9 : 0;
    if (is_same && gap >= SHORTEST && gap <= LONGEST && rate >= SLOWEST && rate <= FASTEST)
        keep(clock, rate);
}

static int by_rate(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

double perf_data_clock_end(struct perf_data_clock *clock)
{
    double rate = NAN;
    if (clock->rates.count >= ENOUGH) {
        qsort(clock->rates.data, clock->rates.count, clock->rates.width, by_rate);
        rate = *ARRAY_AT(double, &clock->rates, clock->rates.count - clock->rates.count / 4 - 1);
    }
    array_free(&clock->rates);
    return rate;
}
