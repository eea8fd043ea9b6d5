/* A floating-point sum in the order of the source: each addition waits for the one before.
   build: gcc -O2
   says: reduction|not-vectorised potential associative-math simd
   without: not-vectorised restrict
   remedy: not-vectorised associative-math -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math
   measured: not-vectorised associative-math neoverse-v1 4.40
   measured: not-vectorised associative-math golden-cove 5.05
   remedy: not-vectorised simd -O3 -fopenmp-simd
   measured: not-vectorised simd neoverse-v1 4.31
   measured: not-vectorised simd golden-cove 4.97
   says: reduction hint associative-math simd
   remedy: reduction associative-math -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math
   measured: reduction associative-math neoverse-v1 4.40
   remedy: reduction simd -O3 -fopenmp-simd
   measured: reduction simd neoverse-v1 4.31 */
typedef float number;
#include "arrays.h"

KERNEL float kernel(const float *x, int n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void run(void)
{
    total = (double) kernel(x, N);
}
