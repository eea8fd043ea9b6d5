/* Bits are counted by a function of libgcc, because the baseline of x86-64 has no such instruction.
   build x86-64: gcc -O2
   says x86-64: calls|flag-target potential target
   remedy x86-64: calls target -mpopcnt
   measured: calls target golden-cove 4.42
   needs x86-64: popcnt */
#include "corpus.h"

static unsigned long words[N];
static double total;

KERNEL long kernel(const unsigned long *words, int n)
{
    long count = 0;
    for (int i = 0; i < n; i++)
        count += __builtin_popcountl(words[i]);
    return count;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        words[i] = i * 0x9e3779b97f4a7c15ul;
}

void run(void)
{
    total = (double) kernel(words, N);
}

double result(void)
{
    return total;
}
