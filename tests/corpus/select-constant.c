/* Elements below a limit become zero: both sides of the branch only choose, so -O3 alone vectorises the loop.
   build: gcc -O2
   says: not-vectorised hint optimise
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise neoverse-v1 3.44 */
#include "corpus.h"
static double x[N];
static int y[N];

KERNEL void kernel(int *restrict y, const double *restrict x, double limit, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 0.5 >= limit ? y[i] : 0;
}

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = i % 7 + 1;
        y[i] = i % 11 + 1;
    }
}

void run(void)
{
    kernel(y, x, 0.75, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
