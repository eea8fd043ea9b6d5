/* Rows of 47 numbers: the main loop does 64 at a time, so all of them are left for the slow tail loop. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 47, ROWS = 16 };
static float x[ROWS][COUNT], y[ROWS][COUNT];

__attribute__((noinline)) void kernel(int n, float a, const float *restrict from, float *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = a * from[i] + 0.5f * to[i];
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < COUNT; i++)
            x[k][i] = (float)i / (float)(k + COUNT);
    for (long r = 0; r < repetitions; r++)
        for (int k = 0; k < ROWS; k++)
            kernel(COUNT, 0.25f, x[k], y[k]);
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < COUNT; i++)
            sum += (double)y[k][i];
    printf("%.6g\n", sum);
    return 0;
}
