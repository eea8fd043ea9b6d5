/* A constant without its f makes the whole computation double.
   build: gcc -O3
   says: conversions potential precision
   remedy: conversions precision -DREMEDY
   measured: conversions precision golden-cove 3.53
   measured: conversions precision neoverse-v1 3.34 */
typedef float number;
#include "arrays.h"
#ifdef REMEDY
#define C(constant) constant##f
#else
#define C(constant) constant
#endif

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float) (x[i] * C(0.3) + C(1.7) * y[i] * C(0.1));
}

void run(void)
{
    kernel(y, x, N);
}
