/* A lock that is taken by a comparison and exchange, and freed, for each element: the loop of ldxr and stxr waits, and is not an
   update.
   build aarch64: gcc -O2 -mno-outline-atomics
   silent: atomics */
#include <stdatomic.h>
typedef int number;
#include "arrays.h"

static atomic_int lock;

KERNEL void kernel(int *x, int n)
{
    for (int i = 0; i < n; i++) {
        int expected = 0;
        while (!atomic_compare_exchange_weak(&lock, &expected, 1))
            expected = 0;
        x[i]++;
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
}

void run(void)
{
    kernel(x, N);
}
