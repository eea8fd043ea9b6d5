/* y[i] += a[i][j] * x[j] keeps y[i] in memory while it is summed up.
   build: gcc -O2
   says x86-64: stores|reduction|not-vectorised hint keep-local
   says aarch64: stores|reduction|not-vectorised potential keep-local
   remedy: reduction keep-local -DREMEDY
   measured: reduction keep-local golden-cove 1.07
   measured: reduction keep-local neoverse-v1 1.15 */
#include "corpus.h"

enum { M = 48 };
static double a[M * M], x[M], y[M];

KERNEL void kernel(double *y, const double *a, const double *x, int m)
{
    for (int i = 0; i < m; i++) {
#ifdef REMEDY
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += a[i * m + j] * x[j];
        y[i] = sum;
#else
        y[i] = 0;
        for (int j = 0; j < m; j++)
            y[i] += a[i * m + j] * x[j];
#endif
    }
}

void set_up(void)
{
    for (int i = 0; i < M * M; i++)
        a[i] = i % 7;
    for (int i = 0; i < M; i++)
        x[i] = i % 5;
}

void run(void)
{
    kernel(y, a, x, M);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < M; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
