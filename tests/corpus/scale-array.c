/* A short loop of vectors: counting and jumping take much of the time.
   build: gcc -O3
   build x86-64: gcc -O3 -march=sapphirerapids -mprefer-vector-width=512
   says aarch64: flag-unroll potential unroll
   remedy: flag-unroll unroll -funroll-loops
   measured: flag-unroll unroll neoverse-v1 1.53 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * a;
}

void run(void)
{
    kernel(y, x, 0.5, N);
}
