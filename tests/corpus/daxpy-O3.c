/* y += a * x as it should be: vectorised, at the limit of loads and stores.
   build: gcc -O3
   build x86-64: gcc -O3 -march=sapphirerapids -mprefer-vector-width=512
   silent: *
   needs x86-64: avx512f */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

void run(void)
{
    kernel(y, x, 0.125, N);
}
