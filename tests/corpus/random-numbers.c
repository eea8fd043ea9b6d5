/* rand() for each element takes a lock and a call.
   build: gcc -O2
   says: calls potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper golden-cove 12.92
   measured: calls cheaper neoverse-v1 24.71 */
#include <stdlib.h>
#include "corpus.h"

static int x[N];

KERNEL void kernel(int *x, int n)
{
#ifdef REMEDY
    unsigned state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = (int) (state >> 16);
    }
#else
    for (int i = 0; i < n; i++)
        x[i] = rand();
#endif
}

void set_up(void)
{
}

void run(void)
{
    kernel(x, N);
}

double result(void)
{
    return x[N / 2] >= 0;
}
