/* A filter in place: each iteration needs what the one before loaded. GCC 12 does not vectorise it, so a promise of vectors at
   level gain would be false; -O3 brought nothing.
   build: gcc -O2
   silent: reduction stores loads
   without: not-vectorised associative-math simd */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *x, float factor, int n)
{
    float before = 0;
    for (int i = 0; i < n; i++) {
        float value = x[i];
        x[i] = value - before;
        before = factor * value;
    }
}

void run(void)
{
    set_up();
    kernel(x, 0.5f, N);
}
