/* assert() looks at every element, so that the loop may end at any of them and is not vectorised.
   build: gcc -O3
   says: checks potential no-checks
   remedy: checks no-checks -DNDEBUG
   measured: checks no-checks neoverse-v1 7.13 */
#include <assert.h>
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, const float *restrict x, float a, int n)
{
    for (int i = 0; i < n; i++) {
        assert(x[i] >= 0);
        y[i] = y[i] * 0.5f + a * x[i];
    }
}

void run(void)
{
    kernel(y, x, 0.125f, N);
}
