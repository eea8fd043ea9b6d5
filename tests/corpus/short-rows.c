/* Rows of 15 numbers, and a main loop that does more at a time: the tail loop does them all, one by one.
   build aarch64: clang -O3
   build x86-64: clang -O3 -march=x86-64-v3
   says: peel-and-tail hint unroll-less trip-count exchange
   remedy: peel-and-tail unroll-less -DREMEDY
   measured: peel-and-tail unroll-less neoverse-v1 2.15
   remedy: peel-and-tail trip-count -DREMEDY=2
   measured: peel-and-tail trip-count neoverse-v1 6.80
   remedy: peel-and-tail exchange -DREMEDY=3
   measured: peel-and-tail exchange neoverse-v1 15.14
   needs x86-64: avx2 fma */
#include "corpus.h"

enum { ROWS = 60, LENGTH = 15 };
#ifdef __aarch64__
typedef short number; /* with a pragma for more at a time */
#else
typedef float number;
#endif
static number x[ROWS][LENGTH], y[ROWS][LENGTH];

KERNEL void kernel(number *restrict to, const number *restrict from, number a, int rows, int n)
{
#if REMEDY == 3
    for (int i = 0; i < rows * n; i++)
        to[i] = (number) (a * from[i] + 3);
#else
#if REMEDY == 2
    n = LENGTH;
#endif
    for (int k = 0; k < rows; k++)
#if REMEDY == 1
#pragma clang loop interleave_count(1) unroll(disable)
#elif !defined REMEDY && defined __aarch64__
#pragma clang loop interleave_count(8)
#endif
        for (int i = 0; i < n; i++)
            to[k * n + i] = (number) (a * from[k * n + i] + 3);
#endif
}

void set_up(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < LENGTH; k++)
            x[i][k] = (number) ((i + k) % 7);
}

void run(void)
{
    kernel(y[0], x[0], (number) 1, ROWS, LENGTH);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < LENGTH; k++)
            sum += y[i][k] * (k % 3 + 1);
    return sum;
}
