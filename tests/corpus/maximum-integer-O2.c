/* The largest integer, at -O2.
   build: gcc -O2
   says: not-vectorised potential optimise
   without: not-vectorised finite-math associative-math fast-math
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 2.61
   measured: not-vectorised optimise neoverse-v1 2.39 */
typedef int number;
#include "arrays.h"

KERNEL int kernel(const int *x, int n)
{
    int most = x[0];
    for (int i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

void run(void)
{
    total = kernel(x, N);
}
