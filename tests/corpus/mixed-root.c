/* A loop of AVX code with an old SSE instruction in inline assembly: at each switch between the two, the processor saves the
   upper halves of its vector registers or restores them.
   build x86-64: gcc -O2 -mavx2
   says: sse-avx gain intrinsics other-option
   remedy: sse-avx intrinsics -DREMEDY
   measured: sse-avx intrinsics golden-cove 204.33
   remedy: sse-avx other-option -msse2avx
   measured: sse-avx other-option golden-cove 209.69
   needs: avx2 */
#include <immintrin.h>

#include "corpus.h"

typedef float vector __attribute__((vector_size(32)));
static vector x[N];
static float roots[N];

static inline float root(float value)
{
#ifdef REMEDY
    return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(value)));
#else
    float result;
    __asm__("rsqrtss %1, %0" : "=x"(result) : "x"(value));
    return result;
#endif
}

KERNEL void kernel(int n, const vector *restrict from, float *restrict to)
{
    vector total = {0};
    for (int i = 0; i < n; i++) {
        total += from[i] * from[i];
        to[i] = root(total[0]);
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = (vector){(float)(i % 13) + 1, 1, 2, 3, 4, 5, 6, 7};
}

void run(void)
{
    kernel(N, x, roots);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)roots[i] * (i % 3 + 1);
    return sum;
}
