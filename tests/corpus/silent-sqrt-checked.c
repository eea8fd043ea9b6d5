/* The root is only computed on the rare path; its branch for errno is on the cold side.
   build: gcc -O2
   build x86-64: gcc -O2 -mfma
   silent: *
   libraries: -lm */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL double kernel(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (__builtin_expect(x[i] > 1e9, 0))
            sum -= sqrt(x[i]);
        sum = sum * 0.5 + x[i];
    }
    return sum;
}

void run(void)
{
    total = kernel(x, N);
}
