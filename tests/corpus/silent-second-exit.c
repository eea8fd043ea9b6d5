/* A loop that ends at either of two limits: GCC up to version 13 does not vectorise it.
   build: gcc -O2
   silent: not-vectorised */
typedef float number;
#include "arrays.h"

KERNEL int kernel(float *restrict y, const float *restrict x, int n, int budget)
{
    int i = 0;
    for (; i < n; i++) {
        if (budget == 0)
            break;
        budget -= 3;
        y[i] = x[i] * 0.5f;
    }
    return i;
}

void run(void)
{
    total = kernel(y, x, N, 3 * N + 1);
}
