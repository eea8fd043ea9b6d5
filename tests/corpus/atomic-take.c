/* The loop takes its work from a shared counter: the atomic operation decides which element is next and when to stop.
   build: gcc -O2
   silent: atomics */
#include <stdatomic.h>

typedef int number;
#include "arrays.h"

static atomic_int next;

KERNEL void kernel(int *x, const int *y, int n)
{
    for (;;) {
        int i = atomic_fetch_add(&next, 1);
        if (i >= n)
            break;
        x[i] = y[i] * 3;
    }
}

void run(void)
{
    next = 0;
    kernel(x, y, N);
}
