/* A sum of absolute differences of bytes, at -O2.
   build: gcc -O2
   says: not-vectorised potential optimise
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 19.88
   measured: not-vectorised optimise neoverse-v1 16.47 */
typedef unsigned char number;
#include "arrays.h"

KERNEL unsigned kernel(const unsigned char *x, const unsigned char *y, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        int difference = x[i] - y[i];
        sum += (unsigned) (difference < 0 ? -difference : difference);
    }
    return sum;
}

void run(void)
{
    total = kernel(x, y, N);
}
