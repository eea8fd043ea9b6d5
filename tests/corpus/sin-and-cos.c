/* Sine and cosine of one angle: GCC computes both in one call, as a complex number, and vectorises no loop that has one.
   build: gcc -O2
   says: calls potential whole-array
   without: calls vector-library
   libraries: -lm */
#define _GNU_SOURCE
#include <math.h>
#include "corpus.h"

static double x[N], y[N], z[N];

KERNEL void kernel(double *restrict y, double *restrict z, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = sin(x[i]);
        z[i] = cos(x[i]);
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i * 0.01;
}

void run(void)
{
    kernel(y, z, x, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] + z[i];
    return sum;
}
