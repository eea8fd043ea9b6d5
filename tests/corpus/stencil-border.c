/* A stencil that tests for the border in each iteration: neither vectorised at -O3 nor as fast as three loops, one for each end
   and one for the middle.
   build: gcc -O3
   says: not-vectorised hint
   not yet: on AArch64 the first path is that of the border, which has no work for vectors, and only the first path is looked at
   remedy: not-vectorised split -DREMEDY
   measured: not-vectorised split neoverse-v1 1.63 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
#ifdef REMEDY
    y[0] = 2 * (x[1] - x[0]);
    for (int i = 1; i < n - 1; i++)
        y[i] = x[i - 1] - 2 * x[i] + x[i + 1];
    y[n - 1] = 2 * (x[n - 2] - x[n - 1]);
#else
    for (int i = 0; i < n; i++)
        if (i == 0)
            y[i] = 2 * (x[1] - x[0]);
        else if (i == n - 1)
            y[i] = 2 * (x[n - 2] - x[n - 1]);
        else
            y[i] = x[i - 1] - 2 * x[i] + x[i + 1];
#endif
}

void run(void)
{
    kernel(y, x, N);
}
