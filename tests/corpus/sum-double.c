/* A sum in strict floating-point order: each addition waits for the one before.
   build: gcc -O3
   says: reduction|not-vectorised potential associative-math
   remedy: not-vectorised associative-math -ffast-math
   measured: not-vectorised associative-math golden-cove 2.22
   measured: not-vectorised associative-math neoverse-v1 2.03
   remedy: reduction partial-sums -DREMEDY
   measured: reduction partial-sums golden-cove 3.94
   measured: reduction partial-sums neoverse-v1 4.06 */
typedef double number;
#include "arrays.h"

KERNEL double kernel(const double *x, int n)
{
#ifdef REMEDY
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        s0 += x[i];
        s1 += x[i + 1];
        s2 += x[i + 2];
        s3 += x[i + 3];
    }
    for (; i < n; i++)
        s0 += x[i];
    return s0 + s1 + s2 + s3;
#else
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
#endif
}

void run(void)
{
    total = kernel(x, N);
}
