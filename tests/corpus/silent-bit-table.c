/* Bits counted by a table of bytes: the loads limit it, and nothing in it is wrong but the method.
   build: gcc -O2
   silent: histogram indirect stores loads calls reduction unpredictable-branch spills array-of-structures */
#include "corpus.h"

static unsigned char bits[256];
static unsigned words[N];
static unsigned count;

KERNEL unsigned kernel(const unsigned *words, const unsigned char *bits, int n)
{
    unsigned count = 0;
    for (int i = 0; i < n; i++)
        count += bits[words[i] & 255] + bits[words[i] >> 8 & 255] + bits[words[i] >> 16 & 255] + bits[words[i] >> 24];
    return count;
}

void set_up(void)
{
    for (int i = 0; i < 256; i++)
        bits[i] = (unsigned char) ((i & 1) + bits[i / 2]);
    for (int i = 0; i < N; i++)
        words[i] = (unsigned) i * 2654435761u;
}

void run(void)
{
    count = kernel(words, bits, N);
}

double result(void)
{
    return count;
}
