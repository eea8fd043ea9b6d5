/* Memory is filled with a number of four bytes that the caller chooses: not a memset.
   build: gcc -O2
   says: not-vectorised potential optimise
   without: not-vectorised copy
   remedy: not-vectorised optimise -O3
   measured: not-vectorised optimise neoverse-v1 4.01 */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *y, int value, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = value;
}

void run(void)
{
    kernel(y, 12345, N);
}
