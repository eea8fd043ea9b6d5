/* Compiled without -O: every variable lives in memory.
   build: gcc
   says: flag-optimisation potential optimise
   remedy: flag-optimisation optimise -O3
   measured: flag-optimisation optimise golden-cove 9.44
   measured: flag-optimisation optimise neoverse-v1 11.71 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *y, const double *x, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5 + a * x[i];
}

void run(void)
{
    kernel(y, x, 0.125, N);
}
