/* A volatile variable is loaded and stored in every iteration, through memory.
   build: gcc -O2
   says: stores|reduction|not-vectorised|store-forwarding potential keep-local
   not yet: it is not found
   without: not-vectorised optimise simd restrict
   remedy: stores keep-local -DREMEDY
   measured: stores keep-local neoverse-v1 4.33 */
typedef int number;
#include "arrays.h"
#ifdef REMEDY
static unsigned counter;
#else
static volatile unsigned counter;
#endif

KERNEL void kernel(const int *x, int n)
{
    for (int i = 0; i < n; i++)
        counter += (unsigned) x[i];
}

void run(void)
{
    counter = 0;
    kernel(x, N);
    total = counter;
}
