/* A ring buffer whose length is not known to be a power of two: a division for each access.
   build: gcc -O2
   says: integer-division potential divide-less
   remedy: integer-division divide-less -DREMEDY
   measured: integer-division divide-less golden-cove 4.02
   measured: integer-division divide-less neoverse-v1 2.09 */
typedef int number;
#include "arrays.h"

KERNEL long kernel(const int *x, unsigned long start, unsigned long length, int n)
{
    long sum = 0;
#ifdef REMEDY
    unsigned long at = start % length;
    for (int i = 0; i < n; i++) {
        sum += x[at];
        at = at + 7 >= length ? at + 7 - length : at + 7;
    }
#else
    for (int i = 0; i < n; i++)
        sum += x[(start + 7 * (unsigned long) i) % length];
#endif
    return sum;
}

void run(void)
{
    total = (double) kernel(x, 123456, N, N);
}
