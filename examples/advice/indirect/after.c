/* The elements are sorted once into the order in which they are used; then the loop walks through them. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static double value[COUNT], ordered[COUNT], result[COUNT];
static int place[COUNT];

__attribute__((noinline)) void kernel(int n, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] += 0.5 * from[i];
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        value[i] = 1.0 / (1 + i);
        place[i] = (i * 7) % COUNT;
    }
    for (int i = 0; i < COUNT; i++)
        ordered[i] = value[place[i]];
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, ordered, result);
    for (int i = 0; i < COUNT; i++)
        sum += result[i];
    printf("%.6g\n", sum);
    return 0;
}
