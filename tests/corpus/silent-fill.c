/* Memory is filled, at -O2.
   build: gcc -O2
   silent: * */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
}

void run(void)
{
    kernel(y, N);
}
