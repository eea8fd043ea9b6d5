/* Two halves are stored and then loaded as one word: the load waits until both stores have reached the cache.
   build: gcc -O2
   says: store-forwarding potential access-width
   remedy: store-forwarding access-width -DREMEDY
   measured: store-forwarding access-width golden-cove 8.82
   measured: store-forwarding access-width neoverse-v1 3.77 */
#include <string.h>
#include "corpus.h"

static unsigned halves[2 * N];
static double total;

KERNEL unsigned long kernel(const unsigned *halves, int n)
{
    unsigned long sum = 0;
#ifdef REMEDY
    for (int i = 0; i < n; i++) {
        unsigned long word = halves[2 * i] | (unsigned long) halves[2 * i + 1] << 32;
        sum = (sum ^ word) + (word >> 7);
    }
#else
    volatile union { unsigned half[2]; unsigned long word; } both;
    for (int i = 0; i < n; i++) {
        both.half[0] = halves[2 * i];
        both.half[1] = halves[2 * i + 1];
        unsigned long word = both.word;
        sum = (sum ^ word) + (word >> 7);
    }
#endif
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < 2 * N; i++)
        halves[i] = (unsigned) i * 2654435761u;
}

void run(void)
{
    total = (double) (kernel(halves, N) >> 12);
}

double result(void)
{
    return total;
}
