/* A sum in one vector: each addition of vectors waits for the one before.
   build: gcc -O3 -ffast-math
   says: reduction potential unroll
   without: reduction simd associative-math
   remedy aarch64: reduction unroll -funroll-loops -fvariable-expansion-in-unroller
   measured: reduction unroll neoverse-v1 1.82 */
typedef float number;
#include "arrays.h"

KERNEL float kernel(const float *x, const float *y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void run(void)
{
    total = (double) kernel(x, y, N);
}
