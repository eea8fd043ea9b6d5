/* A scalar product of floats in strict order.
   build: gcc -O3
   says: reduction|not-vectorised|partly-vectorised potential associative-math
   remedy: partly-vectorised associative-math -ffast-math
   measured: partly-vectorised associative-math neoverse-v1 4.35
   measured: partly-vectorised associative-math golden-cove 4.36
   says aarch64: partly-vectorised potential simd
   remedy aarch64: partly-vectorised simd -fopenmp-simd
   measured: partly-vectorised simd neoverse-v1 4.28 */
typedef float number;
#include "arrays.h"

KERNEL float kernel(const float *x, const float *y, int n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void run(void)
{
    total = kernel(x, y, N);
}
