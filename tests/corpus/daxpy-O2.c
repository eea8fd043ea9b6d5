/* y += a * x with GCC 12 at -O2, which vectorises only where no versions of the loop are needed; the pointers may overlap.
   build: gcc -O2
   says: not-vectorised potential optimise
   not yet: the words of actions are not set
   remedy: not-vectorised optimise -O3 */
#include "corpus.h"

static double x[N], y[N];

KERNEL void kernel(double *y, const double *x, double a, int n)
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
