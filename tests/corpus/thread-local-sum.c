/* A sum is kept in a thread-local variable that the stores of the loop may change: loaded and stored each time.
   build: gcc -O2
   says: stores|reduction|not-vectorised potential keep-local
   remedy: stores keep-local -DREMEDY -O3
   measured: stores keep-local golden-cove 18.76
   measured: stores keep-local neoverse-v1 10.51 */
typedef int number;
#include "arrays.h"

_Thread_local int sum;

KERNEL void kernel(int *y, const int *x, int n)
{
#ifdef REMEDY
    int local = sum;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + 1;
        local += x[i];
    }
    sum = local;
#else
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + 1;
        sum += x[i];
    }
#endif
}

void run(void)
{
    sum = 0;
    kernel(y, x, N);
    total = sum;
}
