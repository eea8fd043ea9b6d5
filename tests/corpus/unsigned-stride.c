/* A matrix in one array with a 32-bit unsigned row length: row * width + column may wrap around.
   build: gcc -O3
   says: not-vectorised potential index-type
   remedy: not-vectorised index-type -DREMEDY
   measured: not-vectorised index-type golden-cove 1.99
   measured: not-vectorised index-type neoverse-v1 1.93 */
typedef double number;
#include "arrays.h"
#ifdef REMEDY
typedef unsigned long subscript;
#else
typedef unsigned subscript;
#endif

KERNEL void kernel(double *restrict y, const double *restrict x, subscript width, subscript height)
{
    for (subscript row = 0; row < height; row++)
        for (subscript column = 0; column < width; column++)
            y[row * width + column] = x[row * width + column] * 0.5 + 1.0;
}

void run(void)
{
    kernel(y, x, 100, 10);
}
