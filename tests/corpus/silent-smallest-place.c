/* The place of the smallest number: the branch is hardly ever taken, so that it is predicted, and GCC does not vectorise the
   search for a place.
   build: gcc -O2
   silent: * */
typedef double number;
#include "arrays.h"

KERNEL int kernel(const double *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] < x[best])
            best = i;
    return best;
}

void run(void)
{
    total = kernel(x, N);
}
