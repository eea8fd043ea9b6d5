/* Words are copied in reverse order: not a memcpy.
   build: gcc -O2
   says: not-vectorised potential optimise
   without: not-vectorised copy
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise neoverse-v1 3.85 */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *restrict y, const int *restrict x, long n)
{
    for (long i = 0; i < n; i++)
        y[n - 1 - i] = x[i];
}

void run(void)
{
    kernel(y, x, N);
}
