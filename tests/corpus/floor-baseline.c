/* floor() takes a dozen instructions with a branch on the baseline of x86-64; SSE4.1 has one instruction.
   build x86-64: gcc -O3
   says x86-64: conversions potential target
   remedy x86-64: conversions target -msse4.1
   measured: conversions target golden-cove 2.96
   libraries: -lm
   needs x86-64: sse4_1 */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = floor(x[i] * 0.3);
}

void run(void)
{
    kernel(y, x, N);
}
