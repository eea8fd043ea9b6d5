/* The inner loop has a trip count that only the caller knows; with a constant it disappears.
   build: gcc -O3
   says: not-vectorised|partly-vectorised potential associative-math
   remedy: not-vectorised associative-math -ffast-math
   measured: not-vectorised associative-math golden-cove 0.97
   measured: not-vectorised associative-math neoverse-v1 1.51
   remedy: peel-and-tail trip-count -DREMEDY
   measured: peel-and-tail trip-count golden-cove 1.22
   measured: peel-and-tail trip-count neoverse-v1 1.25 */
#include "corpus.h"

static double a[N][3], b[N][3], dots[N];

KERNEL void kernel(double *restrict dots, const double *restrict a, const double *restrict b, int dimensions, int n)
{
#ifdef REMEDY
    dimensions = 3;
#endif
    for (int i = 0; i < n; i++) {
        double dot = 0;
        for (int k = 0; k < dimensions; k++)
            dot += a[i * dimensions + k] * b[i * dimensions + k];
        dots[i] = dot;
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            a[i][k] = i % 7 + k, b[i][k] = i % 5 - k;
}

void run(void)
{
    kernel(dots, a[0], b[0], 3, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += dots[i] * (i % 3 + 1);
    return sum;
}
