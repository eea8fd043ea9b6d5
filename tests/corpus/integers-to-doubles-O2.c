/* Integers become doubles, at -O2.
   build: gcc -O2
   says: not-vectorised potential optimise
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 3.58
   measured: not-vectorised optimise neoverse-v1 1.65 */
#include "corpus.h"

static int x[N];
static double y[N];

KERNEL void kernel(double *y, const int *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 0.5;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i % 7;
}

void run(void)
{
    kernel(y, x, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
