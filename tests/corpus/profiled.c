/* -pg makes each call of a small function count itself; here it is a function that is not inlined.
   build: gcc -O2 -pg
   says: flag-harmful gain drop-option
   remedy: flag-harmful drop-option gcc -O2
   measured: flag-harmful drop-option golden-cove 10.58
   measured: flag-harmful drop-option neoverse-v1 11.17 */
typedef double number;
#include "arrays.h"

__attribute__((noinline)) static double clamp(double value)
{
    return value > 5 ? 5 : value;
}

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = clamp(x[i]);
}

void run(void)
{
    kernel(y, x, N);
}
