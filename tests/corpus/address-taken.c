/* The address of a variable was passed to a function, so it stays in memory: each iteration loads and stores it.
   build: gcc -O2
   says aarch64: spills|stores|reduction|store-forwarding potential keep-local
   remedy aarch64: spills keep-local -DREMEDY
   measured: spills keep-local neoverse-v1 2.66 */
typedef int number;
#include "arrays.h"
KERNEL void start(int *state)
{
    *state = 3;
}

KERNEL int kernel(int *x, int n)
{
    int state;
    start(&state);
#ifdef REMEDY
    int copy = state;
    for (int i = 0; i < n; i++) {
        copy = copy * 5 ^ x[i];
        x[i] = copy & 7;
    }
    return copy;
#else
    for (int i = 0; i < n; i++) {
        state = state * 5 ^ x[i];
        x[i] = state & 7;
        __asm__ volatile("" ::: "memory");
    }
    start(&state);
    return state;
#endif
}

void run(void)
{
    total = kernel(x, N) & 7;
}
