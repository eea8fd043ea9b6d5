/* Not vectorised with -O2; with -O3 GCC takes vectors of 256 bits, unless it is asked for longer ones.
   build x86-64: gcc -O2 -march=skylake-avx512
   says: not-vectorised potential optimise vector-width
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 7.93
   remedy: not-vectorised vector-width -O3 -mprefer-vector-width=512
   measured: not-vectorised vector-width golden-cove 15.83
   needs: avx512f avx512vl avx512dq avx512bw */
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
