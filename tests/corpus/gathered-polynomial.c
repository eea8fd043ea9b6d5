/* Computed in vectors, but the baseline of x86-64 loads the elements of a table one by one.
   build x86-64: gcc -O3
   says: partly-vectorised potential target
   without: partly-vectorised vector-width
   says: missed-fma gain target
   remedy: partly-vectorised target -march=x86-64-v3
   measured: partly-vectorised target golden-cove 2.05
   needs: avx2 fma */
typedef float number;
#include "arrays.h"

static int places[N];

KERNEL void kernel(float *restrict y, const float *restrict x, const int *restrict places, int n)
{
    for (int i = 0; i < n; i++) {
        float t = x[places[i]];
        y[i] = ((((((0.1f * t + 0.2f) * t + 0.3f) * t + 0.4f) * t + 0.5f) * t + 0.6f) * t + 0.7f) * t + 0.8f;
    }
}

void run(void)
{
    if (!places[1])
        for (int i = 0; i < N; i++)
            places[i] = i * 7 % N;
    kernel(y, x, places, N);
}
