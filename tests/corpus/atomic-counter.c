/* An atomic update for each element, although only the sum matters to others.
   build: gcc -O2
   says: atomics potential fewer-atomics
   remedy: atomics fewer-atomics -DREMEDY
   measured: atomics fewer-atomics golden-cove 17.12
   measured: atomics fewer-atomics neoverse-v1 11.67 */
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
