/* A stencil of seven points at -O2: six of the seven values were loaded by the iteration before. GCC 14 loads them in pairs on
   AArch64, so that arithmetic takes longer than loads.
   build: gcc -O2
   says aarch64: loads|not-vectorised potential optimise
   says: not-vectorised potential
   remedy: loads optimise -O3
   measured: loads optimise golden-cove 3.29
   measured: loads optimise neoverse-v1 3.71 */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *y, const float *x, int n)
{
    for (int i = 3; i < n - 3; i++)
        y[i] = ((x[i - 3] + x[i + 3]) + (x[i - 2] + x[i + 2])) + ((x[i - 1] + x[i + 1]) + x[i]);
}

void run(void)
{
    kernel(y, x, N);
}
