/* The loop stores its counter. memcpy and memset cannot do that; vectors can.
   build: gcc -O2
   says: not-vectorised potential optimise
   without: not-vectorised copy
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise neoverse-v1 2.00 */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = i;
}

void run(void)
{
    kernel(y, N);
}
