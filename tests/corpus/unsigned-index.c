/* The subscript is a 32-bit unsigned sum that may wrap around, so neighbouring elements are not known to be neighbours.
   build: gcc -O3
   says: not-vectorised potential index-type
   remedy: not-vectorised index-type -DREMEDY
   measured: not-vectorised index-type golden-cove 3.82
   measured: not-vectorised index-type neoverse-v1 3.93 */
typedef float number;
#include "arrays.h"
#ifdef REMEDY
typedef unsigned long subscript;
#else
typedef unsigned subscript;
#endif

KERNEL void kernel(float *restrict y, const float *restrict x, subscript start, subscript n)
{
    for (subscript i = 0; i < n; i++)
        y[start + i] = x[start + i] * 0.5f + 1.0f;
}

void run(void)
{
    kernel(y, x, 3, N - 3);
}
