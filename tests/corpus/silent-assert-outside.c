/* assert() before the loop, and a search that ends at an element: nothing to remove.
   build: gcc -O3
   silent: checks */
#include <assert.h>
typedef int number;
#include "arrays.h"

KERNEL int kernel(const int *x, int wanted, int n)
{
    assert(n > 0);
    for (int i = 0; i < n; i++)
        if (x[i] == wanted)
            return i;
    return n;
}

void run(void)
{
    total = kernel(x, 100, N);
}
