/* Every iteration converts the counter of the loop; the values can be computed once into an array. The elements are not
   contiguous, so vectors bring little.
   build: gcc -O2
   says aarch64: conversions potential convert-less
   remedy aarch64: conversions convert-less -DREMEDY
   measured: conversions convert-less neoverse-v1 1.38 */
typedef double number;
#include "arrays.h"
static double ramp[N];

KERNEL void kernel(double *restrict y, const double *restrict x, const double *restrict ramp, const double *restrict z, int n)
{
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        y[i] = x[3 * i] * ramp[i] + z[3 * i] * ramp[i + 1];
#else
        y[i] = x[3 * i] * (double) (i + 1) + z[3 * i] * (double) (i + 2);
#endif
}

void run(void)
{
    if (!ramp[0])
        for (int i = 0; i < N; i++)
            ramp[i] = i + 1;
    kernel(y, x, ramp, z, N / 3);
}
