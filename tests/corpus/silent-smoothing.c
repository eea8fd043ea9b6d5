/* Exponential smoothing: of the two products that are added, compilers fuse the one that does not wait, so that the chain is as
   long as before.
   build: gcc -O2
   silent: missed-fma */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *y, const double *x, double a, int n)
{
    for (int i = 1; i < n; i++)
        y[i] = a * x[i] + (1 - a) * y[i - 1];
}

void run(void)
{
    kernel(y, x, 0.1, N);
}
