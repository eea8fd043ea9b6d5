/* Numbers of type long double are computed by software on AArch64 (128 bits) and in the x87 unit on x86-64.
   build: gcc -O2
   says x86-64: x87 hint precision
   says aarch64: long-double potential precision
   remedy x86-64: x87 precision -DREMEDY
   measured: x87 precision golden-cove 1.58
   remedy aarch64: long-double precision -DREMEDY
   measured: long-double precision neoverse-v1 45.54 */
typedef double number;
#include "arrays.h"
#ifdef REMEDY
typedef double wide;
#else
typedef long double wide;
#endif

KERNEL double kernel(const double *x, const double *y, int n)
{
    wide sum = 0;
    for (int i = 0; i < n; i++)
        sum += (wide) x[i] * y[i];
    return (double) sum;
}

void run(void)
{
    total = kernel(x, y, N);
}
