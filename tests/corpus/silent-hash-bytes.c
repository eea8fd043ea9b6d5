/* FNV-1a: each multiplication needs the result of the one before.
   build: gcc -O3
   silent: * */
typedef unsigned char number;
#include "arrays.h"

KERNEL unsigned kernel(const unsigned char *x, int n)
{
    unsigned hash = 2166136261u;
    for (int i = 0; i < n; i++)
        hash = (hash ^ x[i]) * 16777619u;
    return hash;
}

void run(void)
{
    total = kernel(x, N);
}
