/* A window whose values are computed from the counter, unrolled eight times. A floating-point counter would be a chain of eight
   additions, which takes longer than the conversions.
   build: gcc -O2 -funroll-loops
   says: not-vectorised potential optimise
   silent: conversions
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise neoverse-v1 1.61 */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, float slope, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = slope * (float) (i + 1);
}

void run(void)
{
    kernel(y, 0.5f, N);
}
