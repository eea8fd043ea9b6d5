/* Elements by index, in the same order each time: a copy in that order is read with plain vector loads.
   build: gcc -O3
   says: indirect potential reorder-data
   remedy: indirect reorder-data -DREMEDY
   measured: indirect reorder-data neoverse-v1 1.58 */
typedef double number;
#include "arrays.h"
static int order[N];

KERNEL void kernel(double *restrict y, const double *restrict x, const int *restrict order, int n)
{
#ifdef REMEDY
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5 + x[i];
#else
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5 + x[order[i]];
#endif
}

void run(void)
{
    static double copy[N];
    if (!order[1])
        for (int i = 0; i < N; i++) {
            order[i] = i * 7 % N;
            copy[i] = x[order[i]];
        }
#ifdef REMEDY
    kernel(y, copy, order, N);
#else
    kernel(y, x, order, N);
#endif
}
