/* A small loop: as many of its instructions count and jump as do the work. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 2048 };
static float x[COUNT], y[COUNT];

__attribute__((noinline)) void kernel(int n, float a, const float *restrict from, float *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = a * from[i];
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i / COUNT;
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, 0.25f, x, y);
    for (int i = 0; i < COUNT; i++)
        sum += (double)y[i];
    printf("%.6g\n", sum);
    return 0;
}
