/* A sum of integers, which GCC 12 vectorises only with -O3; options for floating point have nothing to do with it.
   build: gcc -O2
   says: not-vectorised potential optimise
   without: not-vectorised associative-math fast-math finite-math
   without: reduction associative-math fast-math
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 3.47
   measured: not-vectorised optimise neoverse-v1 2.34 */
typedef int number;
#include "arrays.h"

KERNEL unsigned kernel(const int *x, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += (unsigned) x[i];
    return sum;
}

void run(void)
{
    total = kernel(x, N);
}
