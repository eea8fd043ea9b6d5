/* The largest element: a NaN would have to be treated as the source says. On a Neoverse V1, where a
   comparison and a selection take two cycles, vectors brought 1.1 x.
   build: gcc -O3
   says x86-64: not-vectorised|flag-fast-math|reduction potential finite-math
   remedy x86-64: not-vectorised finite-math -ffinite-math-only -fno-signed-zeros
   measured: not-vectorised finite-math golden-cove 2.24 */
typedef double number;
#include "arrays.h"

KERNEL double kernel(const double *x, int n)
{
    double most = x[0];
    for (int i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

void run(void)
{
    total = kernel(x, N);
}
