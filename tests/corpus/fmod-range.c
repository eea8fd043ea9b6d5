/* fmod() brings an angle into range, where the excess is at most one turn.
   build: gcc -O2
   says aarch64: calls potential cheaper
   says x86-64: calls|x87 potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper golden-cove 5.38
   measured: calls cheaper neoverse-v1 4.93
   libraries: -lm */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        y[i] = x[i] >= 4.0 ? x[i] - 4.0 : x[i];
#else
        y[i] = fmod(x[i], 4.0);
#endif
}

void run(void)
{
    kernel(y, x, N);
}
