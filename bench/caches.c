/* Measures what the core's model leaves out, for machine files: latency and bandwidth of each level of
   memory, the penalty of a mispredicted branch, and integer divisions with quick and slow operands.

       cc -O2 -o /tmp/caches bench/caches.c && /tmp/caches

   Latency: a random walk through all lines of an array, each load the address of the next.  Bandwidth: loads
   of 128 bits of the whole array in order, summed in eight registers.  Both on huge pages where the system
   has them, so that the caches are measured, not the translation of addresses.  Branches: a branch on a
   random bit, less the same branch on a bit that never changes.  Times are the shortest of several tries (of
   latencies the median, too: a cache that others use at the same time answers late), as cycles of
   a core whose clock is measured beside each by a chain of additions. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, TRIES = 15 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds of a cycle, by additions that wait for each other: 1 cycle each. */
static double cycle(void)
{
    enum { ADDITIONS = 2000000 };
    double best = 1;
    for (int attempt = 0; attempt < 5; attempt++) {
        double start = now();
        uint64_t sum = 1;
        for (int i = 0; i < ADDITIONS / 16; i++) {
#if defined(__aarch64__)
#define STEP "add %0, %0, %0\n"
#else
#define STEP "add %0, %0\n"
#endif
            __asm__ volatile(STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
                             : "+r"(sum));
        }
        double seconds = (now() - start) / ADDITIONS;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static uint64_t random_state = 88172645463325252ULL;
static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

enum { MOST_PIECES = 1000 };
static double times[MOST_PIECES];
static int by_time(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The best piece; *usual: the median. */
static double latency(char *memory, size_t bytes, double *usual)
{
    size_t lines = bytes / LINE;
    uint32_t *order = malloc(lines * sizeof *order);
    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i; i--) {
        size_t other = random_number() % (i + 1);
        uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < lines; i++)
        *(void **)(memory + (size_t)order[i] * LINE) = memory + (size_t)order[(i + 1) % lines] * LINE;
    free(order);
    /* Pieces of the walk, so that an interruption spoils one and not all. */
    size_t pieces = lines / 2000 < 40 ? 40 : lines / 2000;
    double best = 1e9;
    void *at = memory;
    for (size_t piece = 0; piece < 3 * pieces; piece++) {
        double start = now();
        for (int i = 0; i < 2000; i++)
            at = *(void *volatile *)at;
        double seconds = (now() - start) / 2000;
        times[piece % MOST_PIECES] = seconds;
        best = seconds < best ? seconds : best;
    }
    size_t count = 3 * pieces < MOST_PIECES ? 3 * pieces : MOST_PIECES;
    qsort(times, count, sizeof times[0], by_time);
    *usual = times[count / 2] / cycle();
    return at ? best / cycle() : 0;
}

typedef uint64_t pair __attribute__((vector_size(16)));
static double bandwidth(char *memory, size_t bytes)
{
    size_t rounds = bytes > ((size_t)1 << 26) ? 1 : ((size_t)1 << 26) / bytes;
    double best = 1e9;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        double start = now();
        for (size_t round = 0; round < rounds; round++) {
            pair a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
            for (const pair *at = (const pair *)memory; at < (const pair *)(memory + bytes); at += 8) {
                a += at[0], b += at[1], c += at[2], d += at[3];
                e += at[4], f += at[5], g += at[6], h += at[7];
            }
            pair sum = a + b + c + d + e + f + g + h;
            __asm__ volatile("" : : "r"(sum[0] | sum[1]) : "memory");
        }
        double seconds = (now() - start) / (double)rounds;
        best = seconds < best ? seconds : best;
    }
    return (double)bytes / (best / cycle());
}

/* Cycles of an iteration with a branch on these bytes. */
static double branching(const unsigned char *bytes, size_t count)
{
    double best = 1e9;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        double start = now();
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++)
            if (bytes[i] & 1) {
                sum += i;
                __asm__ volatile("" : "+r"(sum)); /* stays a branch */
            }
        __asm__ volatile("" : : "r"(sum));
        double seconds = (now() - start) / (double)count;
        best = seconds < best ? seconds : best;
    }
    return best / cycle();
}

static double dividing(uint64_t dividend, uint64_t divisor, int is_short)
{
    enum { DIVISIONS = 200000 };
    double best = 1e9;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        double start = now();
        for (int i = 0; i < DIVISIONS; i++) {
            __asm__ volatile("" : "+r"(dividend), "+r"(divisor));
            uint64_t result = is_short ? (uint32_t)dividend / (uint32_t)divisor : dividend / divisor;
            __asm__ volatile("" : : "r"(result));
        }
        double seconds = (now() - start) / DIVISIONS;
        best = seconds < best ? seconds : best;
    }
    return best / cycle();
}

int main(void)
{
    static const size_t kilobytes[] = {16,   32,   48,   64,   96,    128,   256,   512,   768,    1024,
                                       1536, 2048, 4096, 8192, 16384, 24576, 32768, 65536, 131072, 262144};
    size_t most = (size_t)1 << 28;
    char *memory = mmap(NULL, most + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    memory = (char *)(((uintptr_t)memory + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
    madvise(memory, most, MADV_HUGEPAGE);
    for (size_t i = 0; i < most; i += 4096)
        memory[i] = 1;
    printf("%.2f GHz\n", 1e-9 / cycle());
    for (unsigned i = 0; i < sizeof kilobytes / sizeof kilobytes[0]; i++) {
        double usual, wait = latency(memory, kilobytes[i] * 1024, &usual);
        double rate = bandwidth(memory, kilobytes[i] * 1024);
        printf("%7zu KB  latency %6.1f cycles at best, %6.1f usually  %5.1f bytes a cycle\n", kilobytes[i],
               wait, usual, rate);
    }
    enum { BRANCHES = 400000 }; /* more than a predictor can learn */
    unsigned char *bits = malloc(BRANCHES);
    for (size_t i = 0; i < BRANCHES; i++)
        bits[i] = 0;
    double steady = branching(bits, BRANCHES);
    for (size_t i = 0; i < BRANCHES; i++)
        bits[i] = random_number() >> 33 & 1;
    double unsteady = branching(bits, BRANCHES);
    printf("a mispredicted branch: %.1f cycles (%.2f an iteration, half of it missed, against %.2f)\n",
           2 * (unsteady - steady), unsteady, steady);
    printf("divisions of 64 bits: %.1f to %.1f cycles each; of 32 bits: %.1f to %.1f\n", dividing(9, 7, 0),
           dividing(UINT64_MAX, 3, 0), dividing(9, 7, 1), dividing(UINT32_MAX, 3, 1));
    return 0;
}
