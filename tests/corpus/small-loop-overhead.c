/* A checksum whose chain is one cycle long: half of the instructions count iterations.
   build: gcc -O2
   says: flag-unroll|not-vectorised potential
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 2.82
   measured: not-vectorised optimise neoverse-v1 4.92
   silent: stores spills */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] ^= 0x55;
}

void run(void)
{
    kernel(x, N);
}
