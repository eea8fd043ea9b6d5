/* Comparing strings: the end is where they differ.
   build: gcc -O2
   silent: * */
#include "corpus.h"

static char one[N], other[N];
static double total;

KERNEL int kernel(const char *one, const char *other)
{
    while (*one && *one == *other)
        one++, other++;
    return *one - *other;
}

void set_up(void)
{
    for (int i = 0; i < 200; i++)
        one[i] = other[i] = 'a';
    one[150] = 'b';
}

void run(void)
{
    total = kernel(one, other);
}

double result(void)
{
    return total;
}
