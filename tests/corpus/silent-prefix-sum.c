/* A running sum whose every value is needed: the additions cannot be done side by side.
   build: gcc -O3
   silent: * */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        y[i] = sum;
    }
}

void run(void)
{
    kernel(y, x, N);
}
