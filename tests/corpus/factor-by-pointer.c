/* Factors behind pointers are loaded again in each iteration, since the result may overlap them.
   build: gcc -O2
   says: loads potential restrict hoist
   says: not-vectorised potential
   silent: stores spills
   remedy: loads restrict -DRESTRICT=restrict
   measured: loads restrict golden-cove 1.14
   measured: loads restrict neoverse-v1 1.55
   remedy: loads hoist -DREMEDY
   measured: loads hoist golden-cove 1.20
   measured: loads hoist neoverse-v1 1.54 */
typedef double number;
#include "arrays.h"
#ifndef RESTRICT
#define RESTRICT
#endif

KERNEL void kernel(double *RESTRICT y, const double *RESTRICT x, const double *RESTRICT a, int n)
{
#ifdef REMEDY
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int i = 0; i < n; i++)
        y[i] = x[i] * a0 + a1 + a2 * a3;
#else
    for (int i = 0; i < n; i++)
        y[i] = x[i] * a[0] + a[1] + a[2] * a[3];
#endif
}

void run(void)
{
    static const double a[4] = {0.5, 0.25, 0.125, 2};
    kernel(y, x, a, N);
}
