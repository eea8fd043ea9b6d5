/* Indices and what they lead to are checked in every iteration, as in filters that interpolate.
   build: gcc -O2
   says: checks potential no-checks
   remedy: checks no-checks -DNDEBUG
   measured: checks no-checks neoverse-v1 1.58 */
#include <assert.h>
#include "corpus.h"

static short data[4 * N];
static unsigned char places[N];
static int sums[N];

KERNEL void kernel(int *restrict sums, const short *restrict data, const unsigned char *restrict places, int n, int most)
{
    for (int i = 0; i < n; i++) {
        int at = 4 * places[i];
        assert(at + 3 < most);
        assert(data[at] >= 0);
        assert(data[at + 1] >= 0);
        assert(data[at + 2] >= 0);
        assert(data[at + 3] >= 0);
        sums[i] = data[at] + data[at + 1] - data[at + 2] + data[at + 3];
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        places[i] = (unsigned char)(i * 7);
    for (int i = 0; i < 4 * N; i++)
        data[i] = (short)(i % 13);
}

void run(void)
{
    kernel(sums, data, places, N, 4 * N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += sums[i] * (i % 3 + 1);
    return sum;
}
