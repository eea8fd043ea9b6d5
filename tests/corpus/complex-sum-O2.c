/* Complex numbers in single precision at -O2: a vector holds one number, half of a register.
   build: gcc -O2
   says aarch64: part-of-vector potential optimise
   says x86-64: part-of-vector potential
   remedy aarch64: part-of-vector optimise -O3
   measured: part-of-vector optimise neoverse-v1 1.68 */
#include <complex.h>
typedef float number;
#include "arrays.h"
static float complex p[N], q[N];

KERNEL void kernel(float complex *restrict q, const float complex *restrict p, int n)
{
    for (int i = 0; i < n; i++)
        q[i] += p[i];
}

void run(void)
{
    for (int i = 0; i < N; i += 100) {
        p[i] = x[i] + I * y[i];
        q[i] = 1;
    }
    kernel(q, p, N);
    total = (double) (crealf(q[100]) + cimagf(q[200]));
}
