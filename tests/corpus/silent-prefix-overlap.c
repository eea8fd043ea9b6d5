/* Prefix sums in an array that may overlap the other one: GCC keeps the last sum in a register all the same, so that a variable
   for it brings nothing (1.00 measured on a Neoverse V1).
   build: gcc -O2
   silent: loads stores reduction store-forwarding not-vectorised double-indirection */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *y, const double *x, int n)
{
    for (int i = 1; i < n; i++)
        y[i] = y[i - 1] + x[i];
}

void run(void)
{
    kernel(y, x, N);
}
