/* Small pieces are copied by memcpy(), whose size only the caller knows: with a constant size there is no call.
   build: gcc -O2
   says: calls hint copy
   remedy: calls copy -DREMEDY
   measured: calls copy neoverse-v1 1.90 */
#include <string.h>
#include "corpus.h"

enum { SIZE = 4 };
static double from[N][SIZE], to[N][SIZE], sums[N];

KERNEL void kernel(double (*restrict to)[SIZE], double (*restrict from)[SIZE], double *restrict sums, size_t bytes, int n)
{
#ifdef REMEDY
    bytes = sizeof *to;
#endif
    for (int i = 0; i < n; i++) {
        memcpy(to[i], from[i], bytes);
        sums[i] = from[i][0] * 0.5 + sums[i] * 0.5;
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < SIZE; k++)
            from[i][k] = i % 7 + k;
}

void run(void)
{
    kernel(to, from, sums, sizeof *to, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += sums[i] * (i % 3 + 1) + to[i][3];
    return sum;
}
