/* A small function of the same library is called through the PLT, because another library might replace it.
   build: gcc -O2 -fPIC
   link: library
   says: plt-call potential visibility
   remedy: plt-call visibility -fno-semantic-interposition
   measured: plt-call visibility neoverse-v1 1.99 */
typedef double number;
#include "arrays.h"

double clamp(double value)
{
    return value > 5 ? 5 : value;
}

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = clamp(x[i]);
}

void run(void)
{
    kernel(y, x, N);
}
