/* The addresses of variables were passed to a function, so any store may change them: each iteration loads them again. As
   arguments of another function, or as copies, they are in registers.
   build: gcc -O2
   says: not-vectorised potential
   says aarch64: spills potential outline keep-local optimise
   remedy aarch64: spills outline -DREMEDY
   measured: spills outline neoverse-v1 1.81
   remedy aarch64: spills keep-local -DREMEDY=2
   measured: spills keep-local neoverse-v1 1.77
   remedy aarch64: spills optimise -O3
   measured: spills optimise neoverse-v1 2.27 */
typedef double number;
#include "arrays.h"

KERNEL void settings(double *a, double *b, double *c, double *d)
{
    *a = 0.5, *b = 0.25, *c = 0.125, *d = 2;
}

KERNEL static void loop(double *y, const double *x, double a, double b, double c, double d, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (x[i] * a + b) * c + d;
}

double *from = x, *to = y;

KERNEL void kernel(int n)
{
    struct {
        double value, unused;
    } set[4]; /* apart, so that no compiler loads two of them at once */
    settings(&set[0].value, &set[1].value, &set[2].value, &set[3].value);
#define a set[0].value
#define b set[1].value
#define c set[2].value
#define d set[3].value
    const double *x = from;
    double *y = to;
#if REMEDY == 1
    loop(y, x, a, b, c, d, n);
#elif REMEDY == 2
    double p = a, q = b, r = c, s = d;
    for (int i = 0; i < n; i++)
        y[i] = (x[i] * p + q) * r + s;
#else
    for (int i = 0; i < n; i++)
        y[i] = (x[i] * a + b) * c + d;
#endif
}

void run(void)
{
    kernel(N);
    (void) loop;
}
