/* Programs for bench/run: each does a fixed amount of work and writes how long that took, "took WALL CPU" in
   seconds.

   one: a loop of dependent additions in one thread; all: the same in a thread for each processor; deep: the
   work lies below 40 calls, so that stacks are long; switch: two threads that pass a token to and fro, which
   costs switches; parts: shares of several loops, each by its own clock: "part NAME SECONDS" lines before. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile double sink;

/* The compiler must not compute it beforehand. */
#ifdef __x86_64__
#define HOLD(number) __asm__ volatile("" : "+x"(number)::"memory")
#else
#define HOLD(number) __asm__ volatile("" : "+w"(number)::"memory")
#endif

/* Takes the same time on every run: nothing but the latency of an addition. */
__attribute__((noinline)) static void add(long rounds)
{
    double sum = 0;
    for (long i = 0; i < rounds; i++) {
        sum += 1.0;
        HOLD(sum);
    }
    sink = sum;
}

__attribute__((noinline)) static int deep(int depth, long rounds)
{
    if (depth)
        return deep(depth - 1, rounds) + 1;
    add(rounds);
    return 0;
}

static void *add_in_thread(void *rounds)
{
    add(*(long *)rounds);
    return NULL;
}

static void add_everywhere(long rounds)
{
    enum { MOST = 256 };
    pthread_t threads[MOST];
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    count = count > MOST ? MOST : count;
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, add_in_thread, &rounds);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static int to[2], from[2];

static void *answer(void *unused)
{
    char token;
    (void)unused;
    while (read(to[0], &token, 1) == 1 && write(from[1], &token, 1) == 1)
        ;
    return NULL;
}

static void pass_token(long rounds)
{
    pthread_t thread;
    char token = 0;
    if (pipe(to) || pipe(from) || pthread_create(&thread, NULL, answer, NULL))
        exit(1);
    for (long i = 0; i < rounds; i++)
        if (write(to[1], &token, 1) != 1 || read(from[0], &token, 1) != 1)
            exit(1);
    close(to[1]);
    pthread_join(thread, NULL);
}

enum { SIZE = 4096 };
static float a[SIZE], b[SIZE];

__attribute__((noinline)) static void scale(long rounds)
{
    for (long r = 0; r < rounds; r++) {
        for (int i = 0; i < SIZE; i++)
            a[i] = b[i] * 3.0f + a[i];
        __asm__ volatile("" ::: "memory");
    }
}

__attribute__((noinline)) static float total(long rounds)
{
    float sum = 0;
    for (long r = 0; r < rounds; r++) {
        for (int i = 0; i < SIZE; i++)
            sum += a[i];
        HOLD(sum);
    }
    return sum;
}

__attribute__((noinline)) static unsigned hash(long rounds)
{
    unsigned value = 1;
    for (long i = 0; i < rounds * SIZE; i++)
        value = (value ^ (unsigned)i) * 16777619u;
    return value;
}

static void part(const char *name, double *start)
{
    double now = seconds(CLOCK_THREAD_CPUTIME_ID);
    fprintf(stderr, "part %s %.6f\n", name, now - *start);
    *start = now;
}

static void parts(long rounds)
{
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    scale(4 * rounds);
    part("scale", &start);
    sink = total(rounds);
    part("total", &start);
    sink = hash(rounds);
    part("hash", &start);
}

int main(int count, char **words)
{
    const char *mode = count > 1 ? words[1] : "";
    long rounds = count > 2 ? atol(words[2]) : 0;
    if (rounds < 1) {
        fprintf(stderr, "%s one|all|deep|switch|parts ROUNDS\n", words[0]);
        return 2;
    }
    double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (!strcmp(mode, "one"))
        add(rounds);
    else if (!strcmp(mode, "all"))
        add_everywhere(rounds);
    else if (!strcmp(mode, "deep"))
        deep(40, rounds);
    else if (!strcmp(mode, "switch"))
        pass_token(rounds);
    else if (!strcmp(mode, "parts"))
        parts(rounds);
    else
        return 2;
    fprintf(stderr, "took %.6f %.6f\n", seconds(CLOCK_MONOTONIC) - wall,
            seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
    return 0;
}
