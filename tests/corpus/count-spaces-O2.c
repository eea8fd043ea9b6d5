/* How often a character occurs, at -O2.
   build: gcc -O2
   says: not-vectorised potential optimise
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 3.91
   measured: not-vectorised optimise neoverse-v1 3.58 */
typedef char number;
#include "arrays.h"

KERNEL int kernel(const char *x, char wanted, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += x[i] == wanted;
    return count;
}

void run(void)
{
    total = kernel(x, 3, N);
}
