/* Binary search: each step depends on the one before.
   build: gcc -O2
   silent: * */
typedef int number;
#include "arrays.h"

KERNEL int kernel(const int *sorted, int n, int wanted)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void run(void)
{
    for (int i = 0; i < N; i++)
        z[i] = 3 * i;
    total = kernel(z, N, 1234);
}
