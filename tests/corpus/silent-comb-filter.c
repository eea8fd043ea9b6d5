/* A comb filter reads what it wrote a variable distance before: independent for long distances only, which nobody knows.
   build: gcc -O2
   silent: reduction stores
   without: not-vectorised associative-math */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *y, int distance, float gain, int n)
{
    for (int i = distance; i < n; i++)
        y[i] = y[i] * 0.5f + gain * y[i - distance];
}

void run(void)
{
    kernel(y, 3, 0.25f, N);
}
