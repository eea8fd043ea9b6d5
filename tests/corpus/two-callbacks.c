/* Two functions of the caller's choice for each element.
   build: gcc -O3
   says: calls hint direct-call
   remedy: calls direct-call -DREMEDY
   measured: calls direct-call neoverse-v1 3.82 */
typedef double number;
#include "arrays.h"

static double halve(double value)
{
    return value * 0.5 + 1.0;
}

static double square(double value)
{
    return value * value;
}

typedef double change(double);

#ifdef REMEDY
#define first halve
#define second square
#endif

KERNEL void kernel(double *restrict y, const double *restrict x, int n
#ifndef REMEDY
                   , change *first, change *second
#endif
)
{
    for (int i = 0; i < n; i++)
        y[i] = first(x[i]) + second(x[i]);
}

void run(void)
{
#ifdef REMEDY
    kernel(y, x, N);
#else
    kernel(y, x, N, halve, square);
#endif
}
