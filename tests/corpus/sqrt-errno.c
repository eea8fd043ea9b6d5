/* sqrt() may have to set errno, so the loop is not vectorised.
   build: gcc -O3
   says: flag-math-errno|not-vectorised potential no-math-errno
   remedy: flag-math-errno no-math-errno -fno-math-errno
   measured: flag-math-errno no-math-errno golden-cove 4.20
   measured: flag-math-errno no-math-errno neoverse-v1 2.33
   libraries: -lm */
#include <math.h>
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = sqrtf(x[i]) + 1.0f;
}

void run(void)
{
    kernel(y, x, N);
}
