/* The number of iterations is behind a pointer of the type that the loop stores: each store may change it.
   build: gcc -O3
   says: not-vectorised potential hoist
   without: not-vectorised optimise
   remedy: not-vectorised hoist -DREMEDY
   measured: not-vectorised hoist golden-cove 1.87
   measured: not-vectorised hoist neoverse-v1 4.72 */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *y, const int *x, const int *n)
{
#ifdef REMEDY
    int count = *n;
    for (int i = 0; i < count; i++)
#else
    for (int i = 0; i < *n; i++)
#endif
        y[i] = x[i] * 3 + 1;
}

static int count = N;

void run(void)
{
    kernel(y, x, &count);
}
