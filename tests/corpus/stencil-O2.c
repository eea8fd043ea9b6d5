/* Three points of a stencil at -O2, where the result may overlap the source.
   build: gcc -O2
   says: not-vectorised|loads potential
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 1.51
   measured: not-vectorised optimise neoverse-v1 2.02 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *y, const double *x, int n)
{
    for (int i = 1; i < n - 1; i++)
        y[i] = (x[i - 1] + x[i] + x[i + 1]) * 0.25;
}

void run(void)
{
    kernel(y, x, N);
}
