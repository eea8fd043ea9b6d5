/* Intrinsics for vectors of 128 bits, compiled for a processor with longer ones.
   build x86-64: gcc -O3 -march=x86-64-v3
   says: part-of-vector potential intrinsics
   remedy: part-of-vector intrinsics -DREMEDY
   measured: part-of-vector intrinsics golden-cove 1.99
   needs: avx2 fma */
#include <immintrin.h>

#include "corpus.h"

enum { COUNT = 1024 };
static _Alignas(64) float x[COUNT], y[COUNT];

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
#ifdef REMEDY
    for (int i = 0; i < n; i++) {
        float t = x[i];
        y[i] = ((((0.1f * t + 0.2f) * t + 0.3f) * t + 0.4f) * t + 0.5f) * t + 0.6f;
    }
#else
    for (int i = 0; i < n; i += 4) {
        __m128 t = _mm_load_ps(&x[i]), sum = _mm_set1_ps(0.1f);
        sum = _mm_fmadd_ps(sum, t, _mm_set1_ps(0.2f));
        sum = _mm_fmadd_ps(sum, t, _mm_set1_ps(0.3f));
        sum = _mm_fmadd_ps(sum, t, _mm_set1_ps(0.4f));
        sum = _mm_fmadd_ps(sum, t, _mm_set1_ps(0.5f));
        _mm_store_ps(&y[i], _mm_fmadd_ps(sum, t, _mm_set1_ps(0.6f)));
    }
#endif
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
