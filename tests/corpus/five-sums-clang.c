/* Five sums, each in eight vectors: more than there are registers.
   build: clang -O2 -ffast-math -fno-slp-vectorize
   build x86-64: clang -O2 -march=x86-64-v3 -ffast-math -fno-slp-vectorize
   says: unrolled-too-much potential unroll-less
   remedy: unrolled-too-much unroll-less -DREMEDY
   measured: unrolled-too-much unroll-less neoverse-v1 2.43
   needs x86-64: avx2 fma */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict to, const float *restrict a, const float *restrict b, int n)
{
    float s = 0, t = 0, u = 0, v = 0, w = 0;
#ifdef REMEDY
#pragma clang loop unroll_count(2) interleave_count(2)
#elif defined __aarch64__
#pragma clang loop vectorize_width(4) interleave_count(16) unroll(disable)
#else
#pragma clang loop vectorize_width(8) interleave_count(8) unroll(disable)
#endif
    for (int i = 0; i < n; i++) {
        float p = a[i], q = b[i];
        s += p * q;
        t += p * p;
        u += q * q;
        v += p;
        w += q;
    }
    to[0] = s, to[1] = t, to[2] = u, to[3] = v, to[4] = w;
}

void run(void)
{
    kernel(z, x, y, N);
}
