/* Five pointers that may all overlap: too many checks at run time, so the compiler does not vectorise.
   build: gcc -O3
   says: not-vectorised potential restrict simd
   says aarch64: loads potential restrict hoist
   not yet: in the model of the Neoverse V1 fewer loads alone gain nothing here (AArch64)
   silent: reduction
   remedy: not-vectorised restrict -DRESTRICT=restrict
   measured: not-vectorised restrict golden-cove 1.96
   measured: not-vectorised restrict neoverse-v1 2.01
   remedy aarch64: loads restrict -DRESTRICT=restrict
   measured: loads restrict neoverse-v1 2.01
   remedy: not-vectorised simd -DREMEDY -fopenmp-simd
   measured: not-vectorised simd golden-cove 1.94
   measured: not-vectorised simd neoverse-v1 1.99 */
typedef double number;
#include "arrays.h"
#ifndef RESTRICT
#define RESTRICT
#endif
static double u[N], v[N], w[N];

KERNEL void kernel(double *RESTRICT a, double *RESTRICT b, double *RESTRICT c, const double *RESTRICT d, const double *RESTRICT e,
                   const double *RESTRICT f, int n)
{
#ifdef REMEDY
#pragma omp simd
#endif
    for (int i = 0; i < n; i++) {
        a[i] = d[i] * 0.5 + e[i];
        b[i] = d[i] - f[i] * 0.25;
        c[i] = e[i] * f[i];
    }
}

void run(void)
{
    kernel(u, v, w, x, y, z, N);
    total = u[5] + v[6] + w[7] + u[N - 1];
}
