/* A sum goes to memory in every iteration, since the destination may be an element of the array. A local variable alone does not
   help (the additions still wait for each other), but lets the compiler reorder them.
   build: gcc -O3
   says: stores|not-vectorised|reduction potential
   remedy: reduction keep-local -DREMEDY -ffast-math
   measured: reduction keep-local golden-cove 2.29
   measured: reduction keep-local neoverse-v1 2.08 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *sum, const double *x, int n)
{
#ifdef REMEDY
    double local = *sum;
    for (int i = 0; i < n; i++)
        local += x[i];
    *sum = local;
#else
    for (int i = 0; i < n; i++)
        *sum += x[i];
#endif
}

void run(void)
{
    total = 0;
    kernel(&total, x, N);
}
