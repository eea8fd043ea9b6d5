/* A volatile variable is loaded and stored in every iteration, through memory. In the model of Golden Cove such
   stores are forwarded without delay, and nothing is expected there (not measured).
   build: gcc -O2
   says aarch64: stores|reduction|not-vectorised|store-forwarding potential keep-local
   silent: not-vectorised
   remedy aarch64: stores keep-local -DREMEDY
   measured: stores keep-local neoverse-v1 4.32 */
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
