/* A comb filter that keeps the last five values in variables, and whose distance only the caller knows: -O3 brought
   nothing, loading them again does.
   build: gcc -O2
   build x86-64: gcc -O2 -march=x86-64-v3
   silent: reduction stores
   without: not-vectorised associative-math simd
   says: not-vectorised potential reload
   remedy: not-vectorised reload -DREMEDY -O3
   measured: not-vectorised reload neoverse-v1 4.95 */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *y, const float *x, int distance, int n, float g0, float g1, float g2)
{
#ifdef REMEDY
    for (int i = 0; i < n; i++)
        y[i] = x[i] + g0 * x[i - distance] + g1 * (x[i - distance + 1] + x[i - distance - 1]) +
               g2 * (x[i - distance + 2] + x[i - distance - 2]);
#else
    float x0, x1 = x[1 - distance], x2 = x[-distance], x3 = x[-distance - 1], x4 = x[-distance - 2];
    for (int i = 0; i < n; i++) {
        x0 = x[i - distance + 2];
        y[i] = x[i] + g0 * x2 + g1 * (x1 + x3) + g2 * (x0 + x4);
        x4 = x3;
        x3 = x2;
        x2 = x1;
        x1 = x0;
    }
#endif
}

void run(void)
{
    kernel(y, x + 100, 80, N - 100, 0.3f, 0.2f, 0.1f);
}
