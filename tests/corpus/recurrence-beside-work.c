/* A filter that needs its last result, beside work that does not: in a loop of its own, the work is vectorised.
   build: gcc -O3
   build x86-64: gcc -O3 -march=x86-64-v3
   needs x86-64: avx2 fma
   says: not-vectorised hint split
   remedy: not-vectorised split -DREMEDY
   measured: not-vectorised split neoverse-v1 1.23 */
typedef float number;
#include "arrays.h"

static inline float work(float t)
{
    float odd = ((((t * 0.11f + 0.13f) * t - 0.17f) * t + 0.19f) * t - 0.23f) * t + 0.29f;
    float even = ((((t * 0.31f - 0.37f) * t + 0.41f) * t - 0.43f) * t + 0.47f) * t - 0.53f;
    float third = ((((t * 0.59f + 0.61f) * t - 0.67f) * t + 0.71f) * t - 0.73f) * t + 0.79f;
    float fourth = ((((t * 0.83f - 0.89f) * t + 0.97f) * t - 0.11f) * t + 0.13f) * t - 0.17f;
    return odd * even + third * fourth;
}

KERNEL void kernel(float *restrict y, float *restrict z, const float *restrict x, int n)
{
    float state = 0;
#ifdef REMEDY
    for (int i = 0; i < n; i++)
        z[i] = work(x[i]);
    for (int i = 0; i < n; i++) {
        state = state * 0.5f + x[i];
        y[i] = state;
    }
#else
    for (int i = 0; i < n; i++) {
        z[i] = work(x[i]);
        state = state * 0.5f + x[i];
        y[i] = state;
    }
#endif
}

void run(void)
{
    kernel(y, z, x, N);
}
