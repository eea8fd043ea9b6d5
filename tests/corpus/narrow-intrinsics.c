/* Intrinsics for vectors of 128 bits, compiled for a processor with longer ones.
   build x86-64: gcc -O3 -march=x86-64-v3
   says: part-of-vector potential intrinsics
   remedy: part-of-vector intrinsics -DREMEDY
   needs: avx2 fma */
#include <xmmintrin.h>

typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
#ifdef REMEDY
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5f + x[i] * x[i] * 0.25f;
#else
    for (int i = 0; i < n; i += 4) {
        __m128 t = _mm_loadu_ps(&x[i]);
        t = _mm_mul_ps(_mm_mul_ps(t, t), _mm_set1_ps(0.25f));
        _mm_storeu_ps(&y[i], _mm_add_ps(_mm_mul_ps(_mm_loadu_ps(&y[i]), _mm_set1_ps(0.5f)), t));
    }
#endif
}

void run(void)
{
    kernel(y, x, N);
}
