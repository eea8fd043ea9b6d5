/* A loop over floats calls the double-precision function and converts twice.
   build: gcc -O2
   says: calls|conversions potential
   remedy: calls precision -DREMEDY
   measured: calls precision golden-cove 1.59
   measured: calls precision neoverse-v1 1.34
   libraries: -lm */
#include <math.h>
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        y[i] = expf(x[i] * -0.5f);
#else
        y[i] = (float) exp((double) x[i] * -0.5);
#endif
}

void run(void)
{
    kernel(y, x, N);
}
