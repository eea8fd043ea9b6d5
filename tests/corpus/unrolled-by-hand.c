/* Unrolled by hand by four, and again by the compiler (as often with every version, because of a pragma): the short rows do not reach the unrolled part.
   build aarch64: clang -O3 -fno-slp-vectorize
   build x86-64: clang -O3 -march=x86-64-v3 -fno-slp-vectorize
   says: unrolled-twice potential unroll-less
   remedy: unrolled-twice unroll-less -DREMEDY
   measured: unrolled-twice unroll-less golden-cove 0.98
   measured: unrolled-twice unroll-less neoverse-v1 1.83
   needs x86-64: avx2 fma */
#include "corpus.h"

enum { ROWS = 50, LENGTH = 31 };
static double x[ROWS][LENGTH], y[ROWS][LENGTH];

KERNEL void kernel(double *restrict to, const double *restrict from, int n)
{
#ifdef REMEDY
    for (int i = 0; i < n; i++)
        to[i] += from[i];
#else
    int i;
#ifdef __aarch64__
#pragma clang loop interleave_count(4)
#else
#pragma clang loop interleave_count(2)
#endif
    for (i = 0; i + 3 < n; i += 4) {
        to[i] += from[i];
        to[i + 1] += from[i + 1];
        to[i + 2] += from[i + 2];
        to[i + 3] += from[i + 3];
    }
    for (; i < n; i++)
        to[i] += from[i];
#endif
}

void set_up(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < LENGTH; k++) {
            x[i][k] = (i + k) % 7;
            y[i][k] = 1;
        }
}

void run(void)
{
    for (int i = 0; i < ROWS; i++)
        kernel(y[i], x[i], LENGTH);
}

double result(void)
{
    return y[0][0] > 0;
}
