/* A small function from another file: link-time optimisation inlines it.
   build: gcc -O3
   with: clamp.c
   says: flag-lto|calls potential link-time
   remedy: flag-lto link-time -flto
   measured: flag-lto link-time neoverse-v1 2.18
   measured: flag-lto link-time golden-cove 2.93
   says: calls potential link-time inline
   says: flag-lto potential inline
   remedy: flag-lto inline -DREMEDY
   measured: flag-lto inline neoverse-v1 2.18
   remedy: calls link-time -flto
   measured: calls link-time neoverse-v1 2.18
   remedy: calls inline -DREMEDY
   measured: calls inline neoverse-v1 2.18 */
typedef double number;
#include "arrays.h"

#ifdef REMEDY
static inline double clamp_here(double value)
{
    return value * 0.5 + value * value;
}
#define clamp clamp_here
#else
double clamp(double value);
#endif

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = clamp(x[i]) + 1;
}

void run(void)
{
    kernel(y, x, N);
}
