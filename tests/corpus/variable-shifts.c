/* The baseline of x86-64 has no instruction that shifts each number of a vector by its own count.
   build x86-64: gcc -O3
   says: not-vectorised potential target
   remedy: not-vectorised target -march=x86-64-v3
   measured: not-vectorised target golden-cove 9.98
   needs: avx2 */
typedef unsigned number;
#include "arrays.h"

KERNEL void kernel(unsigned *restrict to, const unsigned *restrict from, const unsigned *restrict counts, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i] << counts[i];
}

void run(void)
{
    kernel(y, x, z, N);
}
