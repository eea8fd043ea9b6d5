/* Every element is divided by the same number.
   build: gcc -O3
   says: divider potential divide-less
   remedy: divider divide-less -DREMEDY
   measured: divider divide-less golden-cove 3.58
   measured: divider divide-less neoverse-v1 4.83
   remedy: divider reciprocal-math -funsafe-math-optimizations
   measured: divider reciprocal-math golden-cove 3.66
   measured: divider reciprocal-math neoverse-v1 4.84 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, double scale, int n)
{
#ifdef REMEDY
    double factor = 1 / scale;
    for (int i = 0; i < n; i++)
        y[i] = x[i] * factor;
#else
    for (int i = 0; i < n; i++)
        y[i] = x[i] / scale;
#endif
}

void run(void)
{
    kernel(y, x, 3.0, N);
}
