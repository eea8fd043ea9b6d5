/* Divisions in double precision of numbers that need less.
   build: gcc -O3
   says: divider potential divide-less
   remedy: divider divide-less -DREMEDY
   measured: divider divide-less golden-cove 2.65
   measured: divider divide-less neoverse-v1 3.21 */
#ifdef REMEDY
typedef float number;
#else
typedef double number;
#endif
#include "arrays.h"

KERNEL void kernel(number *restrict z, const number *restrict x, const number *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        z[i] = x[i] / y[i];
}

void run(void)
{
    kernel(z, x, y, N);
}
