/* Programs for bench/run measure: each does a fixed amount of work and appends the processor seconds of it
   to a file, because what a second run writes to its standard streams is dropped.

     measured FILE nested N     an inner loop of N iterations, millions of times
     measured FILE big          one long loop
     measured FILE recursive    a tree of calls with a loop of 30 iterations at each leaf
     measured FILE twenty       twenty loops of 20 to 4000 iterations
     measured FILE list         a list, which has no induction variable
     measured FILE calls        a loop with a call in each iteration */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 8192 };
static double numbers[SIZE + 8];
static volatile double sink;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline)) static double nested(long times, long count)
{
    double all = 0;
    for (long k = 0; k < times; k++) {
        double sum = 0;
        for (long i = 0; i < count; i++)
            sum = sum * 0.5 + numbers[i + (k & 7)];
        all += sum;
    }
    return all;
}

__attribute__((noinline)) static double chain(long count, long first)
{
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum += numbers[(i + first) % SIZE];
    return sum;
}

__attribute__((noinline)) static double tree(int depth)
{
    return depth ? tree(depth - 1) + tree(depth - 1) : chain(30, depth + (long)sink);
}

/* Twenty loops, which the compiler must not make one of. */
#define LOOP(number)                                                                                         \
    __attribute__((noinline)) static double loop_##number(long count)                                        \
    {                                                                                                        \
        double sum = number;                                                                                 \
        for (long i = 0; i < count; i++)                                                                     \
            sum = sum * 0.25 + numbers[i] * number;                                                          \
        return sum;                                                                                          \
    }
#define TWENTY(X)                                                                                            \
    X(1)                                                                                                     \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)
TWENTY(LOOP)

static void twenty(long rounds)
{
    static double (*const loops[])(long) = {
#define NAME(number) loop_##number,
        TWENTY(NAME)};
    for (long round = 0; round < rounds; round++)
        for (long i = 0; i < 20; i++) {
            long count = i < 10 ? 20 + 20 * i : 400 * (i - 9);
            for (long times = 4000 / count; times >= 0; times--)
                sink += loops[i](count);
        }
}

struct node {
    const struct node *next;
    long value;
};

__attribute__((noinline)) static long walk(const struct node *node)
{
    long sum = 0;
    for (; node; node = node->next)
        sum += node->value;
    return sum;
}

static void list(long times)
{
    static struct node nodes[1000];
    for (int i = 0; i < 999; i++)
        nodes[i].next = &nodes[i + 1];
    for (long i = 0; i < times; i++)
        sink += (double)walk(nodes);
}

__attribute__((noinline)) static double small(double x)
{
    return x * 0.5 + 1;
}

__attribute__((noinline)) static double calls(long count)
{
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum = small(sum) + numbers[i % SIZE];
    return sum;
}

int main(int count, char **words)
{
    const char *mode = count > 2 ? words[2] : "";
    long size = count > 3 ? atol(words[3]) : 10;
    for (int i = 0; i < SIZE + 8; i++)
        numbers[i] = i * 1e-3;
    double start = seconds();
    if (!strcmp(mode, "nested"))
        sink = nested(3000000000 / (4 * size + 8), size);
    else if (!strcmp(mode, "big"))
        sink = chain(600000000, 1);
    else if (!strcmp(mode, "recursive"))
        sink = tree(size);
    else if (!strcmp(mode, "twenty"))
        twenty(6000);
    else if (!strcmp(mode, "list"))
        list(500000);
    else if (!strcmp(mode, "calls"))
        for (int i = 0; i < 20000; i++)
            sink += calls(10000);
    else
        return 2;
    FILE *out = fopen(words[1], "a");
    if (out)
        fprintf(out, "%.6f\n", seconds() - start);
    return !out || fclose(out);
}
