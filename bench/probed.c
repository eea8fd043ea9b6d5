/* What bench/probe puts probes into.  Each kind of work says how many nanoseconds of processor time one step
   of it took.

     probed calls N          a call of a short function
     probed nested N         a call of a function that calls another one
     probed counted N SIZE   an entry of a loop of SIZE iterations, with an induction variable
     probed walked N SIZE    the same without one: a list
     probed start N COMMAND…  COMMAND from start to end: processor time of the quickest of N runs,
                              and its time by the clock */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

__attribute__((noinline)) static uint32_t leaf(uint32_t x)
{
    __asm__ volatile("" ::: "memory");
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x * 5 + 1;
}

__attribute__((noinline)) static uint32_t branch(uint32_t x)
{
    return leaf(x ^ 3) + 7;
}

__attribute__((noinline)) static uint32_t counted(const uint32_t *numbers, int size)
{
    uint32_t sum = 0;
    for (int i = 0; i < size; i++)
        sum = (sum ^ numbers[i]) * 3;
    return sum;
}

struct node {
    const struct node *next;
    uint64_t value;
};

__attribute__((noinline)) static uint64_t walked(const struct node *node)
{
    uint64_t sum = 0;
    for (; node; node = node->next)
        sum += node->value;
    return sum;
}

static uint64_t work(const char *kind, long count, int size)
{
    uint32_t *numbers = calloc((size_t)size + 1, sizeof *numbers), x = 1;
    struct node *nodes = calloc((size_t)size + 1, sizeof *nodes);
    uint64_t sum = 0;
    for (int i = 0; i < size; i++) {
        numbers[i] = (uint32_t)i;
        nodes[i].next = i + 1 < size ? &nodes[i + 1] : NULL;
    }
    double start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    if (!strcmp(kind, "calls"))
        for (long i = 0; i < count; i++)
            x = leaf(x);
    else if (!strcmp(kind, "nested"))
        for (long i = 0; i < count; i++)
            x = branch(x);
    else if (!strcmp(kind, "counted"))
        for (long i = 0; i < count; i++) {
            sum += counted(numbers, size);
            __asm__ volatile("" ::: "memory");
        }
    else
        for (long i = 0; i < count; i++) {
            sum += walked(nodes);
            __asm__ volatile("" ::: "memory");
        }
    fprintf(stderr, "took %.4f\n", (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)count);
    free(numbers);
    free(nodes);
    return sum + x;
}

static void start(long count, char **command)
{
    double least = 0, least_clock = 0;
    for (long i = 0; i < count; i++) {
        double begin = nanoseconds(CLOCK_MONOTONIC);
        struct rusage usage;
        int status;
        pid_t child = fork();
        if (child == 0) {
            freopen("/dev/null", "w", stdout);
            execvp(*command, command);
            _exit(127);
        }
        wait4(child, &status, 0, &usage);
        double spent = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
        double clock = nanoseconds(CLOCK_MONOTONIC) - begin;
        if (status) {
            fprintf(stderr, "%s failed\n", *command);
            exit(1);
        }
        least = i && least < spent ? least : spent;
        least_clock = i && least_clock < clock ? least_clock : clock;
    }
    fprintf(stderr, "took %.0f %.0f\n", least, least_clock);
}

int main(int count, char **words)
{
    if (count < 3)
        return 2;
    if (!strcmp(words[1], "start"))
        start(atol(words[2]), words + 3);
    else
        printf("%llu\n", (unsigned long long)work(words[1], atol(words[2]), count > 3 ? atoi(words[3]) : 0));
    return 0;
}
