/* A small function from another file: link-time optimisation inlines it.
   build: gcc -O3
   with: clamp.c
   says: flag-lto|calls potential link-time
   remedy: flag-lto link-time -flto
   measured: flag-lto link-time golden-cove 2.93
   measured: flag-lto link-time neoverse-v1 2.18 */
typedef double number;
#include "arrays.h"

double clamp(double value);

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = clamp(x[i]) + 1;
}

void run(void)
{
    kernel(y, x, N);
}
