/* A register that is set to zero before each conversion: no chain. On AArch64 a conversion overwrites the whole register.
   build: gcc -O2
   says: not-vectorised potential
   silent: false-dependence */
typedef double number;
#include "arrays.h"

static long whole[N];

KERNEL void kernel(double *restrict to, const long *restrict from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (double)from[i] * 0.5;
}

void run(void)
{
    if (!whole[1])
        for (int i = 0; i < N; i++)
            whole[i] = i % 64;
    kernel(y, whole, N);
}
