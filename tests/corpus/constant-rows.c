/* Rows of 100 numbers: nested, but the code shows that the inner loop is long enough.
   build: gcc -O2
   says: not-vectorised gain optimise
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 1.85
   measured: not-vectorised optimise neoverse-v1 3.79 */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *y, const float *x, int rows)
{
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < 100; i++)
            y[k * 100 + i] = y[k * 100 + i] * 0.5f + x[i];
}

void run(void)
{
    kernel(y, x, N / 100);
}
