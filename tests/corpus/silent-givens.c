/* A Givens rotation of two rows, vectorised. It looks like complex arithmetic, but is real.
   build: gcc -O3
   build x86-64: gcc -O3 -march=sapphirerapids -mprefer-vector-width=512
   silent: * */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict x, double *restrict y, double c, double s, int n)
{
    for (int i = 0; i < n; i++) {
        double t = c * x[i] + s * y[i];
        y[i] = c * y[i] - s * x[i];
        x[i] = t;
    }
}

void run(void)
{
    kernel(x, y, 0.8, 0.6, N);
}
