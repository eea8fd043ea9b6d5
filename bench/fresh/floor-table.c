/* Values of a table at places between its points, by floor().
   build: gcc -O2
   libraries: -lm
   best: -O3 -march=native */
#include <math.h>
#include "fresh.h"
static double table[257], x[N], y[N];
KERNEL void kernel(double *R y, const double *R x, const double *R table, int n)
{
    for (int i = 0; i < n; i++) {
        double at = floor(x[i]);
        int k = (int)at;
        y[i] = table[k] + (x[i] - at) * (table[k + 1] - table[k]);
    }
}
void set_up(void)
{
    for (int i = 0; i < 257; i++)
        table[i] = uniform();
    for (int i = 0; i < N; i++)
        x[i] = uniform() * 255;
}
void run(void)
{
    kernel(y, x, table, N);
}
RESULT(y, N)
