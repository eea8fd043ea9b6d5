/* A small function from another file of the same library is called through the PLT. Link-time optimisation alone does not inline
   it, because another library might still replace it.
   build: gcc -O3 -fPIC
   with: clamp.c
   link: library
   says: plt-call potential link-time visibility
   remedy: plt-call link-time -flto -fno-semantic-interposition
   measured: plt-call link-time neoverse-v1 3.60 */
typedef double number;
#include "arrays.h"

double clamp(double value);

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = clamp(x[i]);
}

void run(void)
{
    kernel(y, x, N);
}
