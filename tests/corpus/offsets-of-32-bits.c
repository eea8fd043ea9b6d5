/* Offsets of 32 bits wrap around, so each address takes an addition of its own: the loop is a few instructions too long for the
   loop buffer of older processors. Golden Cove has no use for that buffer, but gains from the additions that go.
   build x86-64: gcc -O2
   machine: nehalem
   says: loop-buffer hint index-type
   remedy: loop-buffer index-type -DREMEDY
   measured: loop-buffer index-type golden-cove 1.29 */
#include "corpus.h"

#ifdef REMEDY
typedef unsigned long offset;
#else
typedef unsigned offset;
#endif
enum { SKIPPED = 200 };
static unsigned x[8 * N], y[N];

KERNEL void kernel(offset n, const unsigned *from, unsigned *to, offset second, offset third, offset fourth, offset fifth,
                   offset sixth, offset seventh)
{
    for (offset i = 0; i != n; i++)
        to[i] = (from[i + SKIPPED] ^ 0x12345678) + (from[i + second + SKIPPED] ^ 0x23456789) +
                (from[i + third + SKIPPED] ^ 0x3456789a) + (from[i + fourth + SKIPPED] ^ 0x456789ab) +
                (from[i + fifth + SKIPPED] ^ 0x56789abc) + (from[i + sixth + SKIPPED] ^ 0x6789abcd) +
                (from[i + seventh + SKIPPED] ^ 0x789abcde);
}

void set_up(void)
{
    for (unsigned i = 0; i < 8 * N; i++)
        x[i] = i * 2654435761U;
}

void run(void)
{
    kernel(N, x, y, N, 2 * N, 3 * N, 4 * N, 5 * N, 6 * N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)y[i] * (i % 3 + 1);
    return sum;
}
