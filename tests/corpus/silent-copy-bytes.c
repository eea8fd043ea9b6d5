/* A copy loop, which the compiler makes a call of memcpy or vector code of.
   build: gcc -O3
   build x86-64: gcc -O3 -march=sapphirerapids -mprefer-vector-width=512
   silent: * */
typedef unsigned char number;
#include "arrays.h"

KERNEL void kernel(unsigned char *y, const unsigned char *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}

void run(void)
{
    kernel(y, x, N);
}
