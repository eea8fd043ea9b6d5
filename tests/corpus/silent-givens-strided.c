/* Many Givens rotations are generated from two vectors with strides: real arithmetic with a division and a root for each, as in
   LAPACK's dlargv. No complex numbers are near.
   build: gcc -O2 -fno-math-errno
   silent: complex-division flag-fast-math flag-math-errno */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(int n, double *x, int stride_x, double *y, int stride_y, double *c, int stride_c)
{
    for (int i = 0; i < n; i++) {
        double f = x[i * stride_x], g = y[i * stride_y];
        if (g == 0) {
            c[i * stride_c] = 1;
        } else if (f == 0) {
            c[i * stride_c] = 0;
            x[i * stride_x] = g;
        } else if (fabs(f) > fabs(g)) {
            double t = g / f, root = sqrt(1 + t * t);
            c[i * stride_c] = 1 / root;
            x[i * stride_x] = f * root;
        } else {
            double t = f / g, root = sqrt(1 + t * t);
            c[i * stride_c] = t / root;
            x[i * stride_x] = g * root;
        }
    }
}

void run(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i % 7;
    kernel(N / 2, x, 2, y, 1, z, 2);
}
