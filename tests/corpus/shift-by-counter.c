/* Powers of two: a shift by the counter without packed bits.
   build: gcc -O2
   silent: vector-bool */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *x, const int *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = y[i] & 1 << (i & 15);
}

void run(void)
{
    kernel(x, y, N);
}
