/* A small function that is not inlined checks its stack frame in each call.
   build: gcc -O2 -fstack-protector-all
   says: flag-harmful potential drop-option
   remedy: flag-harmful drop-option -fno-stack-protector
   measured: flag-harmful drop-option golden-cove 1.02
   measured: flag-harmful drop-option neoverse-v1 1.61 */
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
