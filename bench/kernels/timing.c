/* Cycles of an iteration, without counters of the processor.

   The clock that a program may read does not run with the core, so a chain of dependent additions, one a
   cycle, is timed before and after each sample and turns its ticks into cycles; a sample where both disagree
   (the frequency changed, or somebody else ran) is taken again.  A sample repeats a kernel for about 60 µs.
   Its calls have one of three trip counts at random: with always the same one, a branch predictor learns
   where a short vector loop ends, at some counts and not at others.  A barrier after each call keeps the next
   from overlapping with it.  Of the samples of a trip count the lower quartile is taken, because disturbances
   only add; of the slopes between pairs of trip counts the median, so that what a call costs once (entry, the
   mispredicted exit, sums across a vector) drops out; only pairs that leave an unrolled loop the same rest.
   Printed beside it: plain cycles divided by iterations at the largest count, and how far the counts lie from
   the line.

   Other work on the same core (a second thread, another guest of the host) takes issue slots and ports, not
   latency: chains run as fast as ever, a loop of loads takes twice as long. So no-ops are timed beside the
   chain. A core that is ours alone takes as many a cycle as it can; a sample where it takes fewer than in the
   best case is taken again, after a while on the core that is quietest then. */
#define _GNU_SOURCE
#include "driver.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHAIN = 200, CHAINS = 50, SAMPLES = 11, RETRIES = 12, PATIENCE = 3, CALLS_AT_MOST = 5000 };
enum { NOPS = 60, NOP_LOOPS = 400, PROBES = 9 };
static const double SAMPLE_CYCLES = 150000, TOLERANCE = 0.01, CROWDED = 1.1;

#if defined __x86_64__
static uint64_t ticks(void)
{
    __builtin_ia32_lfence();
    uint64_t value = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return value;
}

/* Waits until all is done that was started. */
static void finish(void)
{
    __builtin_ia32_lfence();
}

/* Register with register: newer cores fold additions of constants. */
static uint64_t chain(uint64_t value)
{
    uint64_t more = value | 1;
    for (int i = 0; i < CHAINS; i++)
        __asm__ volatile(".rept %c2\n\tadd %1, %0\n\t.endr" : "+r"(value) : "r"(more), "i"(CHAIN) : "cc");
    return value;
}

/* Four bytes each, so that the µop cache holds them. */
static void pass_nops(void)
{
    __asm__ volatile(".rept %c0\n\tnopl 0(%%rax)\n\t.endr" ::"i"(NOPS));
}
#elif defined __aarch64__
static uint64_t ticks(void)
{
    uint64_t value;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value)::"memory");
    return value;
}

static void finish(void)
{
    __asm__ volatile("dsb sy\n\tisb" ::: "memory");
}

static uint64_t chain(uint64_t value)
{
    for (int i = 0; i < CHAINS; i++)
        __asm__ volatile(".rept %c1\n\tadd %0, %0, #1\n\t.endr" : "+r"(value) : "i"(CHAIN));
    return value;
}

static void pass_nops(void)
{
    __asm__ volatile(".rept %c0\n\tnop\n\t.endr" ::"i"(NOPS));
}
#else
#error "timing is written for x86-64 and AArch64"
#endif

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double larger(double one, double other)
{
    return one > other ? one : other;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double fixed_ticks(void)
{
    double best = 1e9;
    for (int i = 0; i < 100; i++) {
        uint64_t start = ticks();
        double taken = (double)(ticks() - start);
        best = taken < best ? taken : best;
    }
    return best;
}

static double calibrate(double fixed)
{
    uint64_t start = ticks();
    volatile uint64_t kept = chain(start);
    (void)kept;
    return ((double)(ticks() - start) - fixed) / (CHAIN * CHAINS);
}

/* Ticks of the no-ops, in those of an addition of the chain. */
static double time_nops(double fixed, double tick)
{
    uint64_t start = ticks();
    for (int i = 0; i < NOP_LOOPS; i++)
        pass_nops();
    return ((double)(ticks() - start) - fixed) / tick;
}

/* What the no-ops take on a core without other work: the least of the medians of all cores so far. */
static double least_nops = 1e9;

/* A disturbance during the chain must not make the no-ops look fast, so the least of its times counts. */
static double probe_core(double fixed)
{
    double samples[PROBES], tick = 1e9;
    for (int i = 0; i < PROBES; i++) {
        double chained = calibrate(fixed);
        tick = chained < tick ? chained : tick;
        samples[i] = time_nops(fixed, 1);
    }
    return median(samples, PROBES) / tick;
}

/* Moves to the core on which the no-ops are fastest. */
static void choose_core(double fixed)
{
    static cpu_set_t allowed;
    static bool is_known;
    double best = 1e9;
    int chosen = -1;
    if (!is_known && sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    is_known = true;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &allowed) || !stay_on(core))
            continue;
        double taken = probe_core(fixed);
        if (taken < best) {
            best = taken;
            chosen = core;
        }
    }
    least_nops = best < least_nops ? best : least_nops;
    if (chosen >= 0)
        stay_on(chosen);
}

/* Trip counts of the calls of a sample: count, or one or two steps more, by turns that nobody can learn. */
static double plan_calls(long plan[CALLS_AT_MOST], int calls, long count, long step)
{
    static uint32_t state = 1;
    double sum = 0;
    for (int i = 0; i < calls; i++) {
        state = state * 1664525u + 1013904223u;
        plan[i] = count + step * (long)((state >> 16) % COUNTS_OF_SAMPLE);
        sum += (double)plan[i];
    }
    return sum / calls;
}

/* Cycles of a call with the planned mean trip count, as if it were exactly in the middle. */
static double sample(const struct kernel *kernel, const struct counts *counts, long count, int calls,
                     double fixed)
{
    static long plan[CALLS_AT_MOST];
    struct arrays arrays;
    double cycles = 0, least = 1e9, middle = (double)(count + counts->step * (COUNTS_OF_SAMPLE - 1) / 2);
    for (int attempt = 0; attempt < RETRIES; attempt++) {
        double mean = plan_calls(plan, calls, count, counts->step);
        fill_arrays(kernel, &arrays);
        kernel->run(&arrays, count);
        kernel->run(&arrays, count + counts->step);
        double before = calibrate(fixed), nops_before = time_nops(fixed, before);
        uint64_t start = ticks();
        for (int i = 0; i < calls; i++) {
            kernel->run(&arrays, plan[i]);
            finish();
        }
        double taken = (double)(ticks() - start) - fixed, after = calibrate(fixed);
        double nops = larger(nops_before, time_nops(fixed, after)),
               change = larger(after / before, before / after);
        double found = taken / (0.5 * (before + after)) / calls * (middle / mean);
        if (change < 1 + TOLERANCE && nops < CROWDED * least_nops)
            return found;
        if (nops < least) {
            least = nops;
            cycles = found;
        }
        if (attempt % PATIENCE == PATIENCE - 1 && nops >= CROWDED * least_nops)
            choose_core(fixed);
    }
    return cycles;
}

static double fit_slope(const struct counts *counts, const double *cycles)
{
    double slopes[COUNTS_AT_MOST * COUNTS_AT_MOST];
    int number = 0;
    for (int i = 0; i < counts->number; i++)
        for (int j = 0; j < i; j++)
            if ((counts->values[i] - counts->values[j]) % (2 * counts->step) == 0)
                slopes[number++] = (cycles[i] - cycles[j]) / (double)(counts->values[i] - counts->values[j]);
    return median(slopes, number);
}

/* How far the counts lie from the line, at most, as a part of a call. */
static double misfit(const struct counts *counts, const double *cycles, double slope)
{
    double starts[COUNTS_AT_MOST], worst = 0;
    for (int i = 0; i < counts->number; i++)
        starts[i] = cycles[i] - slope * (double)counts->values[i];
    double start = median(starts, counts->number);
    for (int i = 0; i < counts->number; i++) {
        double off = (cycles[i] - start - slope * (double)counts->values[i]) / cycles[i];
        off = off < 0 ? -off : off;
        worst = off > worst ? off : worst;
    }
    return worst;
}

void print_time(const struct kernel *kernel)
{
    struct counts counts = choose_counts(kernel);
    static bool is_chosen;
    double fixed = fixed_ticks(), samples[COUNTS_AT_MOST][SAMPLES], cycles[COUNTS_AT_MOST];
    int calls[COUNTS_AT_MOST];
    if (!is_chosen)
        choose_core(fixed);
    is_chosen = true;
    for (int i = 0; i < counts.number; i++) {
        calls[i] = 1 + (int)(SAMPLE_CYCLES / sample(kernel, &counts, counts.values[i], 4, fixed));
        calls[i] = calls[i] > CALLS_AT_MOST ? CALLS_AT_MOST : calls[i];
    }
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < counts.number; i++)
            samples[i][k] = sample(kernel, &counts, counts.values[i], calls[i], fixed);
    for (int i = 0; i < counts.number; i++) {
        qsort(samples[i], SAMPLES, sizeof samples[i][0], compare);
        cycles[i] = samples[i][SAMPLES / 4];
    }
    double slope = fit_slope(&counts, cycles);
    long last = counts.values[counts.number - 1];
    printf("%s,%ld,%ld,%d,%.4f,%.4f,%.4f\n", kernel->name, counts.values[0], last, counts.number, slope,
           cycles[counts.number - 1] / (double)(last + counts.step), misfit(&counts, cycles, slope));
}
