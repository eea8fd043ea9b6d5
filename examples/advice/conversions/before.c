/* Constants without an f are double precision: every number is widened, computed with in double precision and
   narrowed again. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };
static float x[COUNT], y[COUNT];

__attribute__((noinline)) void kernel(int n, const float *restrict at, float *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = 0.25 * at[i] * at[i] + 0.5 * at[i] + 1.5;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i / COUNT;
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y);
    for (int i = 0; i < COUNT; i++)
        sum += (double)y[i];
    printf("%.6g\n", sum);
    return 0;
}
