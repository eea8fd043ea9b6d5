/* A filter that needs its own last output.
   build: gcc -O3
   build x86-64: gcc -O3 -mfma
   silent: *
   without: not-vectorised simd associative-math */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, double a, int n)
{
    double state = 0;
    for (int i = 0; i < n; i++) {
        state = state * a + x[i];
        y[i] = state;
    }
}

void run(void)
{
    kernel(y, x, 0.5, N);
}
