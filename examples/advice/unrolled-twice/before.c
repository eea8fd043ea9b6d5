/* Unrolled by hand, and again by the compiler (the pragma: as often with every version). */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static double x[COUNT], y[COUNT];

__attribute__((noinline)) void kernel(int n, const double *restrict from, double *restrict to)
{
    int i;
#pragma clang loop interleave_count(2)
    for (i = 0; i + 3 < n; i += 4) {
        to[i] += from[i];
        to[i + 1] += from[i + 1];
        to[i + 2] += from[i + 2];
        to[i + 3] += from[i + 3];
    }
    for (; i < n; i++)
        to[i] += from[i];
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (double)i / COUNT;
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y);
    for (int i = 0; i < COUNT; i++)
        sum += y[i];
    printf("%.6g\n", sum);
    return 0;
}
