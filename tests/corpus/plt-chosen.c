/* A function of the same library that is chosen when the program starts (ifunc): nobody can call it directly or inline it.
   build: gcc -O2 -fPIC
   link: library
   silent: plt-call */
typedef double number;
#include "arrays.h"

static double clamp_plain(double value)
{
    return value > 5 ? 5 : value;
}

static double (*choose_clamp(void))(double)
{
    return clamp_plain;
}

double clamp(double value) __attribute__((ifunc("choose_clamp")));

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = clamp(x[i]);
}

void run(void)
{
    kernel(y, x, N);
}
