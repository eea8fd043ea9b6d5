/* A call whose result does not depend on the iteration.
   build: gcc -O2
   libraries: -lm
   says: calls potential hoist
   remedy: calls hoist -DREMEDY
   measured: calls hoist golden-cove 34.89
   measured: calls hoist neoverse-v1 30.67 */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *y, const double *x, const double *a, int n)
{
#ifdef REMEDY
    double factor = pow(*a, 1.5);
    for (int i = 0; i < n; i++)
        y[i] = x[i] * factor;
#else
    for (int i = 0; i < n; i++)
        y[i] = x[i] * pow(*a, 1.5);
#endif
}

void run(void)
{
    static double a = 2.5;
    kernel(y, x, &a, N);
}
