/* Variables of the function itself are volatile, so each step loads and stores them.
   build: gcc -O2
   says: spills|useless-spills potential keep-local
   remedy: spills keep-local -DREMEDY
   measured: spills keep-local neoverse-v1 2.14 */
typedef int number;
#include "arrays.h"
#ifdef REMEDY
#define VOLATILE
#else
#define VOLATILE volatile
#endif

KERNEL long kernel(const int *x, int n)
{
    VOLATILE long sum = 0, last = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] - last;
        last = x[i] & 3;
    }
    return sum;
}

void run(void)
{
    total = (double) kernel(x, N);
}
