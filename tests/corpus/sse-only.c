/* Vectorised for the baseline of x86-64, with vectors of 128 bits.
   build x86-64: gcc -O3
   says x86-64: part-of-vector|flag-target potential target
   remedy x86-64: part-of-vector target -march=x86-64-v3
   measured: part-of-vector target golden-cove 2.75
   needs x86-64: avx2 fma */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5f + x[i] * x[i] * 0.25f;
}

void run(void)
{
    kernel(y, x, N);
}
