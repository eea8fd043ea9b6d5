/* Calls to be captured: each function has something that a wrong variant gets wrong. FAULT plants it. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef FAULT
#define FAULT 0
#endif
enum { COUNT = 3000 };
#define WHOLE __attribute__((noinline))

double weight = 0.25;
static double sums[4];
static int visits;

/* Malloc'ed and static data, a call of libm, a result. FAULT 1: one element is left out. 2: it never ends.
   3: it writes where nothing is. 4: it asks the kernel. */
WHOLE double smooth(double *to, const double *from, int n)
{
    static int own;
    double sum = 0;
#if FAULT == 2
    for (;;)
        __asm__ volatile("" ::: "memory");
#elif FAULT == 3
    *(volatile double *)(to + ((long)n << 40)) = 1;
#elif FAULT == 4
    getppid();
#endif
    for (int i = 1; i < n - 1 - (FAULT == 1); i++) {
        to[i] = weight * (from[i - 1] + 2 * from[i] + from[i + 1]) + exp(-from[i]);
        sum += to[i];
    }
    sums[n & 3] += sum;
    own++;
    visits += own;
    return sum;
}

/* -ffinite-math-only believes that nothing is NaN. */
WHOLE int count_missing(const double *values, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += values[i] != values[i];
    return count;
}

/* Without -fwrapv this never happens. */
WHOLE int wraps(int *values, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (values[i] + 1 < values[i]) {
            values[i] = 0;
            count++;
        }
    return count;
}

WHOLE float single(float *values, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i] = values[i] * 1.5f + 0.1f;
    return sum;
}

WHOLE int printing(int n)
{
    printf("%d\n", n);
    fflush(stdout);
    return n;
}

WHOLE long telling_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_nsec;
}

WHOLE long counting(int *values, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i] += i;
    return sum;
}

static int shared[4][1000];

static void *count(void *values)
{
    for (int i = 0; i < 20; i++)
        counting(values, 1000);
    return NULL;
}

static void use_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, count, shared[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(int argument_count, char **arguments)
{
    double *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b), total = 0;
    static int integers[64];
    static float floats[1000];
    for (int i = 0; i < COUNT; i++)
        a[i] = b[i] = i % 11;
    for (int i = 0; i < 64; i++)
        integers[i] = i % 5 ? i : 2147483647;
    if (argument_count > 1 && !strcmp(arguments[1], "child"))
        return fork() ? 0 : (int)counting(shared[0], 1000);
    total += smooth(a, b, 8);
    for (int i = 0; i < 9; i++)
        total += smooth(i & 1 ? a : b, i & 1 ? b : a, COUNT);
    a[17] = NAN;
    total += count_missing(a, COUNT) + wraps(integers, 64) + single(floats, 1000);
    total += printing(1) + (double)telling_time();
    use_threads();
    printf("%g %g %d %d\n", total, sums[0], visits, shared[1][9]);
    return 0;
}
