/* A hidden function of the same library is called directly.
   build: gcc -O2 -fPIC
   link: library
   silent: plt-call */
#include "corpus.h"

static unsigned set[N / 32 + 1];
static double total;

__attribute__((visibility("hidden"), noinline)) int is_member(const unsigned *words, int i)
{
    return words[i >> 5] >> (i & 31) & 1;
}

KERNEL int kernel(const unsigned *words, int n)
{
    int members = 0;
    for (int i = 0; i < n; i++)
        members += is_member(words, i);
    return members;
}

void set_up(void)
{
    for (int i = 0; i <= N / 32; i++)
        set[i] = 0x9e3779b9u * (unsigned) i;
}

void run(void)
{
    total = kernel(set, N);
}

double result(void)
{
    return total;
}
