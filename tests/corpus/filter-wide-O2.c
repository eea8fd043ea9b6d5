/* A stencil of seven points at -O2: six of the seven loads have values that the iteration before has loaded.
   build: gcc -O2
   says aarch64: loads potential optimise
   says: not-vectorised potential
   remedy: loads optimise -O3
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
