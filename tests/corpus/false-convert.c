/* With -Os, GCC does not set the register to zero before a conversion, which keeps the upper half of the register and so waits
   for the conversion before.
   build x86-64: gcc -Os
   says: false-dependence gain other-option
   says: not-vectorised potential
   remedy: false-dependence other-option -O2
   measured: false-dependence other-option golden-cove 5.76 */
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
