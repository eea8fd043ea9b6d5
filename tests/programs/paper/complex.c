/* Figure 16 in C. */
#include <complex.h>

void quotient(int n, double complex *restrict a, const double complex *restrict b, const double complex *restrict c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] / c[i];
}
