/* lrint() is a call that may set errno; without errno it is one instruction.
   build: gcc -O3
   says: calls|flag-math-errno potential no-math-errno
   remedy: calls no-math-errno -fno-math-errno
   measured: calls no-math-errno golden-cove 3.45
   measured: calls no-math-errno neoverse-v1 2.25
   libraries: -lm */
#include <math.h>
#include "corpus.h"

static double x[N];
static long y[N];

KERNEL void kernel(long *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = lrint(x[i] * 0.3);
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i % 17;
}

void run(void)
{
    kernel(y, x, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double) y[i] * (i % 3 + 1);
    return sum;
}
