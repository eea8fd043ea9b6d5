/* A copy element by element: the arrays may overlap, so it is not a memcpy.
   build: gcc -O2
   says: not-vectorised potential copy
   remedy: not-vectorised copy -DREMEDY
   measured: not-vectorised copy golden-cove 18.51
   measured: not-vectorised copy neoverse-v1 14.75 */
typedef short number;
#include "arrays.h"
#include <string.h>

KERNEL void kernel(short *y, const short *x, int n)
{
#ifdef REMEDY
    memmove(y, x, (unsigned) n * sizeof *y);
#else
    for (int i = 0; i < n; i++)
        y[i] = x[i];
#endif
}

void run(void)
{
    kernel(y, x, N);
}
