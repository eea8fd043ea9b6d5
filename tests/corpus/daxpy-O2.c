/* y += a * x with GCC 12 at -O2, which vectorises only where no versions of the loop are needed; the pointers may overlap.
   build: gcc -O2
   says: not-vectorised potential optimise
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 1.87
   measured: not-vectorised optimise neoverse-v1 1.96 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *y, const double *x, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

void run(void)
{
    kernel(y, x, 0.125, N);
}
