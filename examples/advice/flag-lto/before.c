/* Each iteration calls a small function of another source file. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };
static double x[COUNT], y[COUNT];

double blend(double a, double b);

__attribute__((noinline)) void kernel(int n, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = blend(from[i], to[i]);
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
