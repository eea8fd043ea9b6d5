/* Complex division calls a function that cares for overflow and infinities.
   build: gcc -O2
   says: complex-division potential complex-range
   remedy: complex-division complex-range -fcx-limited-range
   measured: complex-division complex-range golden-cove 3.47
   measured: complex-division complex-range neoverse-v1 3.50 */
#include <complex.h>
#include "corpus.h"

static double complex a[N / 2], b[N / 2], c[N / 2];

KERNEL void kernel(double complex *restrict c, const double complex *restrict a, const double complex *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] / b[i];
}

void set_up(void)
{
    for (int i = 0; i < N / 2; i++) {
        a[i] = i % 7 + i % 3 * I;
        b[i] = i % 5 + 1 + i % 4 * I;
    }
}

void run(void)
{
    kernel(c, a, b, N / 2);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += creal(c[i]) * (i % 3 + 1) + cimag(c[i]);
    return sum;
}
