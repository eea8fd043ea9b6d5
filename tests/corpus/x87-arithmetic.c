/* -mfpmath=387 computes in the legacy unit.
   build x86-64: gcc -O2 -mfpmath=387
   says x86-64: x87 potential
   remedy x86-64: x87 drop-option -mfpmath=sse -O3
   measured: x87 drop-option golden-cove 2.55 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5 + x[i] * 0.25;
}

void run(void)
{
    kernel(y, x, N);
}
