/* The inner loop of a complex matrix product: vectors need shuffles, which cost as much as they gain.
   build: gcc -O2 -fcx-limited-range
   silent: reduction stores loads
   without: not-vectorised associative-math */
#include <complex.h>
#include "corpus.h"

static double complex a[N / 2], c[N / 2];

void set_up(void)
{
    for (int i = 0; i < N / 2; i++) {
        a[i] = i % 7 + i % 5 * I;
        c[i] = i % 3 - i % 4 * I;
    }
}

KERNEL void kernel(double complex *restrict c, const double complex *restrict a, double complex factor, int n)
{
    for (int i = 0; i < n; i++)
        c[i] += factor * a[i];
}

void run(void)
{
    set_up();
    kernel(c, a, 0.5 - 0.25 * I, N / 2);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += creal(c[i]) * (i % 3 + 1) + cimag(c[i]) * (i % 5 + 1);
    return sum;
}
