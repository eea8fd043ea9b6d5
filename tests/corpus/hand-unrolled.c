/* Unrolled by hand by four: the compiler makes one vector operation of the four statements. The plain loop is as fast (1.0 x).
   build: gcc -O3
   says x86-64: part-of-vector potential target
   silent: unrolled-twice not-vectorised partly-vectorised
   remedy x86-64: part-of-vector target -march=x86-64-v3 -DREMEDY
   measured: part-of-vector target golden-cove 2.73
   needs x86-64: avx2 fma */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *y, const float *x, float a, int n)
{
#ifdef REMEDY
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
#else
    int i = 0;
    for (; i + 3 < n; i += 4) {
        y[i] += a * x[i];
        y[i + 1] += a * x[i + 1];
        y[i + 2] += a * x[i + 2];
        y[i + 3] += a * x[i + 3];
    }
    for (; i < n; i++)
        y[i] += a * x[i];
#endif
}

void run(void)
{
    kernel(y, x, 0.125f, N);
}
