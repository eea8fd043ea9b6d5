/* a / b / c divides twice where a / (b * c) divides once.
   build: gcc -O3
   says: divider potential divide-less
   remedy: divider divide-less -DREMEDY
   measured: divider divide-less golden-cove 2.01
   measured: divider divide-less neoverse-v1 1.94 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, const double *restrict z, int n)
{
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        y[i] = 1.5 / (x[i] * z[i]);
#else
        y[i] = 1.5 / x[i] / z[i];
#endif
}

void run(void)
{
    kernel(y, x, z, N);
}
