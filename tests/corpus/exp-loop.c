/* exp() for each element; glibc has a vector version for x86-64.
   build: gcc -O3
   says: calls potential
   says x86-64: calls potential vector-library
   remedy x86-64: calls vector-library -ffast-math
   measured: calls vector-library golden-cove 2.33
   libraries: -lm */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = exp(x[i] * -0.5);
}

void run(void)
{
    kernel(y, x, N);
}
