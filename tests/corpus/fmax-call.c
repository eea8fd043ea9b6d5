/* fmax() treats NaN in a way that no instruction of x86-64 does: a call for each element.
   build x86-64: gcc -O3
   says: calls potential finite-math cheaper
   remedy: calls finite-math -ffinite-math-only -fno-signed-zeros
   libraries: -lm */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = fmax(x[i], 3.0) + 1;
}

void run(void)
{
    kernel(y, x, N);
}
