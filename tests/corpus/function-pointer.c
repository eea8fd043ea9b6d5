/* A callback for each element.
   build: gcc -O3
   says: indirect-call|calls potential direct-call
   remedy: indirect-call direct-call -DREMEDY
   measured: indirect-call direct-call golden-cove 9.60
   measured: indirect-call direct-call neoverse-v1 3.90 */
typedef double number;
#include "arrays.h"

static double halve(double value)
{
    return value * 0.5 + 1.0;
}

#ifdef REMEDY
KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = halve(x[i]);
}
#else
KERNEL void kernel(double *restrict y, const double *restrict x, int n, double (*function)(double))
{
    for (int i = 0; i < n; i++)
        y[i] = function(x[i]);
}
#endif

void run(void)
{
#ifdef REMEDY
    kernel(y, x, N);
#else
    kernel(y, x, N, halve);
#endif
}
