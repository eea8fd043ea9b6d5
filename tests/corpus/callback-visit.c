/* A loop that exists to call a function of the caller's choice for each element: nothing is computed with its result.
   build: gcc -O2
   silent: indirect-call unpredictable-branch */
typedef int number;
#include "arrays.h"

static void add(int value)
{
    for (int i = 1; i < 20; i++)
        total += value / i;
}

KERNEL void kernel(const int *v, int n, void (*visit)(int))
{
    for (int i = 0; i < n; i++)
        visit(v[i]);
}

void run(void)
{
    total = 0;
    kernel(x, N, add);
}
