/* A logarithm of the elements that are positive only: the branch keeps compilers from calling a vector version, and nothing
   shows how many these are.
   build: gcc -O3
   silent: calls
   libraries: -lm */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 3)
            y[i] = log10(x[i]);
        else
            y[i] = x[i];
    }
}

void run(void)
{
    kernel(y, x, N);
}
