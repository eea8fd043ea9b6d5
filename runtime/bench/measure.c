/* One test, measured in this process.

   A sample times both sizes, between two looks at the clock of the core.  What disturbs a sample (interrupts,
   other processes) only ever makes it longer, so the quickest run of each size is nearest to the truth; the
   median and the spread say how far the rest is from it.  A measurement that is not steady is repeated, and
   the steadiest one counts. */
#include "runtime/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 4, WARM_UPS = 3, MOST_TRIPS = 1 << 24, MOST_ENTRIES = 4096, LONG_RUN = 16 };
static const double STEADY = 0.01, SAME_WAY = 0.03;
/* Misses are never that steady: medians count there. */
static const double STEADY_CHASE = 0.1;

struct samples {
    double cycles[2][BENCH_SAMPLES]; /* of all entries together */
    double ticks[BENCH_SAMPLES];     /* of a cycle */
};

struct work {
    struct bench_clock *clock;
    const struct bench_test *test;
    struct bench_context context;
    struct bench_memory memory;
    struct bench_code codes[2];
    uint32_t trips[2], entries;
};

/* Lines that the last entry went through are in the caches: each starts elsewhere. */
static void set_chasers(struct work *work)
{
    for (uint32_t i = 0; i < work->test->value_count; i++)
        if (work->test->values[i].is_pointer == bench_CHASER)
            work->context.general[work->test->values[i].number] =
                (uint64_t)(uintptr_t)bench_chase_line(&work->memory);
}

static uint64_t time_entries(struct work *work, int size)
{
    work->context.code = (uint64_t)(uintptr_t)work->codes[size].start;
    uint64_t start = bench_ticks();
    for (uint32_t i = 0; i < work->entries; i++) {
        if (work->memory.chase)
            set_chasers(work);
        bench_enter(&work->context);
    }
    return bench_ticks() - start;
}

static uint64_t time_warm(struct work *work, int size)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < WARM_UPS; i++) {
        uint64_t ticks = time_entries(work, size);
        best = ticks < best ? ticks : best;
    }
    return best;
}

void bench_set_registers(struct bench_context *context, const struct bench_test *test, const struct bench_memory *memory)
{
    for (int i = 0; i < BENCH_GENERAL; i++)
        context->general[i] = test->general;
    for (int i = 0; i < BENCH_VECTORS; i++)
        for (int byte = 0; byte < BENCH_VECTOR_BYTES; byte += 8)
            memcpy(&context->vectors[i][byte], &test->vector, 8);
    for (uint32_t i = 0; i < test->value_count; i++) {
        const struct bench_value *value = &test->values[i];
        uint64_t number = value->value;
        if (value->is_pointer == bench_POINTER)
            number += (uint64_t)(uintptr_t)memory->middle;
        else if (value->is_pointer == bench_WALKER)
            number += (uint64_t)(uintptr_t)(memory->chase ? memory->chase : memory->stream);
        if (value->is_vector)
            for (int byte = 0; byte < BENCH_VECTOR_BYTES; byte += 8)
                memcpy(&context->vectors[value->number][byte], &number, 8);
        else
            context->general[value->number] = number;
    }
    context->stack = (uint64_t)(uintptr_t)memory->stack;
    context->vector_bytes = test->vector_bytes ? test->vector_bytes : 16;
}

static uint32_t limit_trips(const struct bench_test *test, double trips)
{
    double most = test->most_trips ? test->most_trips : MOST_TRIPS;
    return trips < 1 ? 1 : trips > most ? (uint32_t)most : (uint32_t)trips;
}

/* Ticks of the larger size. */
static double try_trips(struct work *work, uint32_t trips)
{
    work->entries = 1;
    bench_code_change_trips(&work->codes[1], trips, work->test->counter);
    return (double)time_warm(work, 1) + 1;
}

/* So many trips, and so many entries where trips are limited, that the larger size takes as long as a sample
   should. */
static void choose_trips(struct work *work)
{
    const struct bench_test *test = work->test;
    double wanted = work->clock->sample_ticks;
    uint32_t trips = test->trips[1] ? test->trips[1] : 1;
    double ticks = try_trips(work, trips);
    if (!test->trips[1]) {
        while (ticks < wanted / 8 && limit_trips(test, trips * 4.0) > trips) {
            trips = limit_trips(test, trips * 4.0);
            ticks = try_trips(work, trips);
        }
        trips = limit_trips(test, trips * wanted / ticks);
        ticks = try_trips(work, trips);
    }
    double entries = ceil(0.9 * wanted / ticks);
    work->entries = entries > MOST_ENTRIES ? MOST_ENTRIES : (uint32_t)entries;
    for (int size = 0; size < 2; size++) {
        work->trips[size] = test->trips[1] ? test->trips[size] : trips;
        bench_code_change_trips(&work->codes[size], work->trips[size], test->counter);
    }
}

int bench_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_samples(struct work *work, struct samples *samples)
{
    time_warm(work, 0);
    time_warm(work, 1);
    for (int i = 0; i < BENCH_SAMPLES; i++) {
        double before = bench_clock_tick(work->clock);
        double small = (double)time_entries(work, 0), large = (double)time_entries(work, 1);
        double after = bench_clock_tick(work->clock);
        /* An interrupt in one of the looks makes it longer. */
        double tick = before < after ? before : after;
        samples->cycles[0][i] = small / tick;
        samples->cycles[1][i] = large / tick;
        samples->ticks[i] = tick;
    }
    for (int size = 0; size < 2; size++)
        qsort(samples->cycles[size], BENCH_SAMPLES, sizeof(double), bench_by_size);
    qsort(samples->ticks, BENCH_SAMPLES, sizeof(double), bench_by_size);
}

/* How far a figure is from another one, as a share of it.  Emulators leave out what nobody reads, and it takes no time: nothing is
   known then, which is a share of 1. */
static double apart(double figure, double from)
{
    return from > 0 ? fabs(figure / from - 1) : 1;
}

/* What the difference of the two sizes has. */
static double units_of(const struct work *work)
{
    const struct bench_test *test = work->test;
    return (double)work->entries *
           ((double)test->copies[1] * work->trips[1] - (double)test->copies[0] * work->trips[0]);
}

static void conclude(const struct work *work, const struct samples *samples, struct bench_result *result)
{
    const struct bench_test *test = work->test;
    const double *small = samples->cycles[0], *large = samples->cycles[1];
    double units = units_of(work);
    result->best = (large[0] - small[0]) / units;
    result->median = (large[BENCH_SAMPLES / 2] - small[BENCH_SAMPLES / 2]) / units;
    result->spread = fmax(fmax(apart(small[BENCH_SAMPLES / 2], small[0]), apart(large[BENCH_SAMPLES / 2], large[0])),
                          apart(result->median, result->best));
    /* The branch takes a cycle or two.  If much more vanishes in the difference, the two sizes did not run in the same
       way (cores have modes), and the larger one with all that it takes is the safer figure. */
    double whole = large[0] / ((double)work->entries * test->copies[1] * work->trips[1]);
    double vanished = apart(whole, result->best);
    if (work->trips[0] == work->trips[1] && work->trips[1] >= LONG_RUN && vanished > SAME_WAY) {
        result->spread = fmax(result->spread, vanished);
        result->best = whole;
        result->median = large[BENCH_SAMPLES / 2] / large[0] * whole;
    }
    result->ghz = bench_ticks_per_second() / samples->ticks[BENCH_SAMPLES / 2] * 1e-9;
}

static void run_size(void *context, int size)
{
    time_entries(context, size);
}

static void measure_block(struct bench_clock *clock, const struct bench_test *test, struct bench_result *result)
{
    struct work work = {.clock = clock, .test = test};
    *result = (struct bench_result){.status = bench_FAILED};
    if (bench_memory_begin(&work.memory, test)) {
        bench_memory_end(&work.memory);
        return;
    }
    bench_set_registers(&work.context, test, &work.memory);
    if (!bench_code_make(&work.codes[0], test->unit, test->unit_size, test->copies[0], 1, test->counter) &&
        !bench_code_make(&work.codes[1], test->unit, test->unit_size, test->copies[1], 1, test->counter)) {
        choose_trips(&work);
        for (int i = 0; i < REPETITIONS; i++) {
            struct samples samples;
            struct bench_result next = {.status = bench_MEASURED};
            take_samples(&work, &samples);
            conclude(&work, &samples, &next);
            if (i == 0 || next.spread < result->spread)
                *result = next;
            if (result->spread < (work.memory.chase ? STEADY_CHASE : STEADY))
                break;
        }
        if (test->is_counted)
            bench_events_count(run_size, &work, units_of(&work), result);
    }
    bench_code_free(&work.codes[0]);
    bench_code_free(&work.codes[1]);
    bench_memory_end(&work.memory);
}

void bench_measure(struct bench_clock *clock, const struct bench_test *test, struct bench_result *result)
{
    if (test->layout == bench_SYSTEM)
        bench_ask_system(test, result);
    else if (test->threads > 1)
        bench_measure_together(clock, test, result);
    else if (test->pass)
        bench_measure_walk(clock, test, result);
    else
        measure_block(clock, test, result);
}
