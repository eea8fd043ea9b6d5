/* Integers become floating-point numbers. With -Os, GCC leaves out the instruction that sets the register to zero before each
   conversion, which then waits for the one before. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static int64_t numbers[COUNT];
static double results[COUNT];

__attribute__((noinline)) void kernel(double *restrict to, const int64_t *restrict from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (double)from[i] * 0.5;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double total = 0;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i * 7 % 64;
    for (long r = 0; r < repetitions; r++)
        kernel(results, numbers, COUNT);
    for (int i = 0; i < COUNT; i++)
        total += results[i];
    printf("%g\n", total);
    return 0;
}
