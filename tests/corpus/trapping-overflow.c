/* -ftrapv calls a function for each addition that may overflow, or checks it.
   build: gcc -O2 -ftrapv
   says: flag-harmful|calls potential drop-option
   remedy: flag-harmful drop-option -fno-trapv
   measured: flag-harmful drop-option golden-cove 3.49
   measured: flag-harmful drop-option neoverse-v1 3.94 */
typedef int number;
#include "arrays.h"

KERNEL int kernel(const int *x, const int *y, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void run(void)
{
    total = kernel(x, y, N);
}
