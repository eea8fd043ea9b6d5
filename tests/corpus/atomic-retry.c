/* An atomic update for each element, compiled for processors without atomic additions: ldxr and stxr are repeated until the store
   succeeds. The loop that matters is the one around them.
   build aarch64: gcc -O2 -mno-outline-atomics
   says: atomics potential fewer-atomics
   remedy: atomics fewer-atomics -DREMEDY
   measured: atomics fewer-atomics neoverse-v1 12.51 */
#include <stdatomic.h>
typedef int number;
#include "arrays.h"

static atomic_uint counter;

KERNEL void kernel(const int *x, int n)
{
#ifdef REMEDY
    unsigned local = 0;
    for (int i = 0; i < n; i++)
        local += (unsigned) x[i];
    atomic_fetch_add(&counter, local);
#else
    for (int i = 0; i < n; i++)
        atomic_fetch_add(&counter, (unsigned) x[i]);
#endif
}

void run(void)
{
    counter = 0;
    kernel(x, N);
    total = counter;
}
