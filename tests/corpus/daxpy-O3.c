/* y += a * x as it should be: vectorised, at the limit of loads and stores.
   build: gcc -O3
   build x86-64: gcc -O3 -march=sapphirerapids -mprefer-vector-width=512
   silent: *
   needs x86-64: avx512f */
#include "corpus.h"

static double x[N], y[N];

KERNEL void kernel(double *restrict y, const double *restrict x, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i % 7, y[i] = 1;
}

void run(void)
{
    kernel(y, x, 0.125, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
