/* -fassociative-math without the two options that it needs is ignored.
   build: gcc -O3 -fassociative-math
   says: flag-fast-math potential associative-math
   remedy: flag-fast-math associative-math -fno-signed-zeros -fno-trapping-math
   measured: flag-fast-math associative-math neoverse-v1 4.40
   says: not-vectorised potential */
typedef float number;
#include "arrays.h"

KERNEL float kernel(const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void run(void)
{
    total = (double) kernel(x, N);
}
