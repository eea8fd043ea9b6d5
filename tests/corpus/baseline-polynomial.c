/* Vectorised for the baseline of x86-64: vectors of 128 bits, no fused multiply-add.
   build x86-64: gcc -O3
   says: part-of-vector potential target
   says: missed-fma hint
   says: flag-target hint target
   remedy: flag-target target -march=x86-64-v3
   measured: flag-target target golden-cove 3.24
   needs: avx2 fma */
#include "corpus.h"

enum { COUNT = 1024 };
static _Alignas(64) float x[COUNT], y[COUNT];

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        float t = x[i];
        y[i] = ((((((0.1f * t + 0.2f) * t + 0.3f) * t + 0.4f) * t + 0.5f) * t + 0.6f) * t + 0.7f) * t + 0.8f;
    }
}

void set_up(void)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)(i % 7) * 0.125f;
}

void run(void)
{
    kernel(y, x, COUNT);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += (double)y[i] * (i % 3 + 1);
    return sum;
}
