/* Pixels are clipped to a range, at -O2.
   build: gcc -O2
   says: not-vectorised potential optimise
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise golden-cove 1.60
   measured: not-vectorised optimise neoverse-v1 4.66 */
typedef short number;
#include "arrays.h"

KERNEL void kernel(short *y, const short *x, int low, int high, int n)
{
    for (int i = 0; i < n; i++) {
        int value = x[i] * 3 - 4;
        value = value < low ? low : value;
        y[i] = (short) (value > high ? high : value);
    }
}

void run(void)
{
    kernel(y, x, 2, 10, N);
}
