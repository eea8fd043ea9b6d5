/* The counter of the processor, and how many of its ticks a cycle of the core takes.

   The counter does not follow the core's clock, so a chain of known length is timed beside each sample.  It
   is made of multiplications: no core does these while renaming.  How many cycles one takes is found
   at the start: as many as a multiplication chain takes longer than a chain of additions of two registers,
   each of which takes one cycle on every core that we know. */
#include "runtime/bench/bench.h"

#include <math.h>
#include <time.h>

enum { CHAIN = 64, ATTEMPTS = 40, FIRST_TRIPS = 400, CALIBRATIONS = 10, MOST_CYCLES = 50 };

uint64_t bench_ticks(void)
{
#ifdef __aarch64__
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
    return ticks;
#else
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
#endif
}

double bench_ticks_per_second(void)
{
#ifdef __aarch64__
    uint64_t frequency;
    __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
    return (double)frequency;
#else
    static double found;
    if (found == 0) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        uint64_t start = bench_ticks();
        double seconds;
        do {
            clock_gettime(CLOCK_MONOTONIC, &to);
            seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
        } while (seconds < 0.01);
        found = (double)(bench_ticks() - start) / seconds;
    }
    return found;
#endif
}

#ifdef __aarch64__
enum { COUNTER = 30 };
static const uint8_t multiply[] = {0x00, 0x7c, 0x01, 0x9b}; /* mul x0, x0, x1 */
static const uint8_t add[] = {0x00, 0x00, 0x01, 0x8b};      /* add x0, x0, x1 */
#else
enum { COUNTER = 15 };
static const uint8_t multiply[] = {0x48, 0x0f, 0xaf, 0xc1}; /* imul rax, rcx */
static const uint8_t add[] = {0x48, 0x01, 0xc8};            /* add rax, rcx */
#endif

static uint64_t time_once(struct bench_context *context, const struct bench_code *code)
{
    context->code = (uint64_t)(uintptr_t)code->start;
    uint64_t start = bench_ticks();
    bench_enter(context);
    return bench_ticks() - start;
}

/* The quickest of several. */
static uint64_t time_best(struct bench_context *context, const struct bench_code *code)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t ticks = time_once(context, code);
        best = ticks < best ? ticks : best;
    }
    return best;
}

/* Ticks of one instruction in a chain of them, without what entering takes. */
static int time_chain(struct bench_context *context, const uint8_t *unit, size_t size, uint32_t trips,
                      double *ticks)
{
    struct bench_code small, large;
    int failed = bench_code_make(&small, unit, size, CHAIN, trips, COUNTER);
    int failed_too = bench_code_make(&large, unit, size, 3 * CHAIN, trips, COUNTER);
    if (!failed && !failed_too) {
        uint64_t quick = time_best(context, &small), slow = time_best(context, &large);
        *ticks = ((double)slow - (double)quick) / (2.0 * CHAIN * trips);
    }
    bench_code_free(&small);
    bench_code_free(&large);
    return failed ? failed : failed_too;
}

/* Ticks and cycles of a multiplication.  Cycles must come out whole: if not, something else was running, and it is
   tried again; emulators, which have no cycles, get the nearest number in the end. */
static int time_multiplication(struct bench_context *context, uint32_t trips, double *ticks, double *cycles)
{
    for (int i = 0; i < CALIBRATIONS; i++) {
        double addition;
        int failed = time_chain(context, multiply, sizeof multiply, trips, ticks);
        if (!failed)
            failed = time_chain(context, add, sizeof add, trips, &addition);
        if (failed)
            return failed;
        double ratio = addition > 0 ? *ticks / addition : 0;
        *cycles = fmin(fmax(round(ratio), 1), MOST_CYCLES);
        if (fabs(ratio - *cycles) < 0.1)
            break;
    }
    return 0;
}

int bench_clock_begin(struct bench_clock *clock)
{
    static uint8_t stack[1 << 14] __attribute__((aligned(64)));
    *clock = (struct bench_clock){0};
    clock->context.stack = (uint64_t)(uintptr_t)(stack + sizeof stack - 256);
    clock->context.vector_bytes = 16;
    clock->context.general[0] = 1;
    clock->context.general[1] = 1;
    /* 60 µs, and 4,000 ticks at least of counters that run slowly. */
    clock->sample_ticks = fmax(60e-6 * bench_ticks_per_second(), 4000);
    uint32_t trips = FIRST_TRIPS;
    double multiplication = 1, cycles = 1;
    int failed = time_multiplication(&clock->context, trips, &multiplication, &cycles);
    if (failed)
        return failed;
    /* A tenth of a sample. */
    trips = (uint32_t)fmax(20, 0.1 * clock->sample_ticks / (multiplication * CHAIN));
    clock->cycles = cycles * CHAIN * (trips - 1);
    failed = bench_code_make(&clock->chain, multiply, sizeof multiply, CHAIN, 1, COUNTER);
    if (!failed) {
        clock->first_ticks = (double)time_best(&clock->context, &clock->chain);
        bench_code_change_trips(&clock->chain, trips, COUNTER);
    }
    return failed;
}

void bench_clock_end(struct bench_clock *clock)
{
    bench_code_free(&clock->chain);
}

double bench_clock_tick(struct bench_clock *clock)
{
    return ((double)time_once(&clock->context, &clock->chain) - clock->first_ticks) / clock->cycles;
}
