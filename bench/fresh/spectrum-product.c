/* Two spectra of complex numbers, multiplied.
   build: gcc -O2
   best: -O3 -ffast-math */
#include <complex.h>
#include "fresh.h"
static float complex a[N], b[N], c[N];
KERNEL void kernel(float complex *R c, const float complex *R a, const float complex *R b, int n)
{
    SIMD_LOOP
    for (int i = 0; i < n; i++)
        c[i] = a[i] * b[i];
}
void set_up(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = (float)uniform() + (float)uniform() * I;
        b[i] = (float)uniform() + (float)uniform() * I;
    }
}
void run(void)
{
    kernel(c, a, b, N);
    total = crealf(c[7]) + cimagf(c[N - 9]);
}
RESULT_TOTAL
