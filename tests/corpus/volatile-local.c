/* volatile keeps variables on the stack that only this function uses.
   build x86-64: gcc -O2
   says: useless-spills gain keep-local
   remedy: useless-spills keep-local -DREMEDY
   measured: useless-spills keep-local golden-cove 2.02 */
typedef unsigned long number;
#include "arrays.h"

#ifdef REMEDY
#define VOLATILE
#else
#define VOLATILE volatile
#endif

KERNEL void kernel(unsigned long *restrict to, const unsigned long *restrict from, int n)
{
    for (int i = 0; i < n; i++) {
        VOLATILE unsigned long mixed = from[i] ^ 0x5555;
        VOLATILE unsigned long shifted = mixed + 17;
        to[i] = shifted + 3;
    }
}

void run(void)
{
    kernel(y, x, N);
}
