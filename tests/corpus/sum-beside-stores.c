/* A sum behind a pointer, beside stores that may change it: loaded and stored for each element.
   build: gcc -O2
   says: reduction|stores potential keep-local
   says: not-vectorised hint keep-local
   remedy: not-vectorised keep-local -DREMEDY
   measured: not-vectorised keep-local neoverse-v1 5.86 */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *sum, double *y, const double *x, int n)
{
#ifdef REMEDY
    double local = *sum;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * 0.5;
        local += y[i];
    }
    *sum = local;
#else
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * 0.5;
        *sum += x[i] * 0.5;
    }
#endif
}

void run(void)
{
    double sum = 0;
    kernel(&sum, y, x, N);
    total = sum;
}
