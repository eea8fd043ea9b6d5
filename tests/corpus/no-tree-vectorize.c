/* An option forbids vectorisation.
   build: gcc -O3 -fno-tree-vectorize
   says: flag-harmful|not-vectorised potential drop-option
   remedy: flag-harmful drop-option -ftree-vectorize
   measured: flag-harmful drop-option neoverse-v1 4.00
   measured: flag-harmful drop-option golden-cove 3.53
   says: not-vectorised hint drop-option
   remedy: not-vectorised drop-option -ftree-vectorize
   measured: not-vectorised drop-option neoverse-v1 4.01 */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5f + x[i];
}

void run(void)
{
    kernel(y, x, N);
}
