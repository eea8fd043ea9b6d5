/* Two formulas, for small and for large numbers.  Computing both and selecting one could raise an exception that the
   program does not raise, so the compiler keeps the branch unless an option says that exceptions do not matter. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };
static double x[COUNT], y[COUNT];

__attribute__((noinline)) void kernel(int n, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i] > 0.5 ? from[i] * from[i] + 1.0 : from[i] * 3.0;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    unsigned random = 12345;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        random = random * 1664525 + 1013904223;
        x[i] = random / 4294967296.0;
    }
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y);
    for (int i = 0; i < COUNT; i++)
        sum += y[i];
    printf("%.6g\n", sum);
    return 0;
}
