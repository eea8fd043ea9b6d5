/* The plain loop: the compiler unrolls it. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static double x[COUNT], y[COUNT];

__attribute__((noinline)) void kernel(int n, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < n; i++)
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
