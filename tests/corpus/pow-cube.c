/* pow() with a small constant exponent in every iteration: two multiplications do.
   build: gcc -O3
   says: calls potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper golden-cove 57.77
   measured: calls cheaper neoverse-v1 58.92
   remedy: calls fast-math -ffast-math
   measured: calls fast-math golden-cove 57.21
   measured: calls fast-math neoverse-v1 58.77
   libraries: -lm */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        y[i] = x[i] * x[i] * x[i];
#else
        y[i] = pow(x[i], 3.0);
#endif
}

void run(void)
{
    kernel(y, x, N);
}
