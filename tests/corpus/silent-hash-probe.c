/* Linear probing in a hash table: few iterations, until a free or equal entry.
   build: gcc -O2
   silent: * */
#include "corpus.h"

enum { SIZE = 1024 };
static unsigned table[SIZE];
static double total;

KERNEL int kernel(const unsigned *table, unsigned key)
{
    unsigned at = key * 2654435761u >> 22;
    while (table[at] && table[at] != key)
        at = (at + 1) & (SIZE - 1);
    return (int) at;
}

void set_up(void)
{
    for (unsigned key = 1; key < SIZE * 3 / 4; key++)
        table[kernel(table, key)] = key;
}

void run(void)
{
    total = kernel(table, 500) + kernel(table, 700) + kernel(table, 5000);
}

double result(void)
{
    return total;
}
