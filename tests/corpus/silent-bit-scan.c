/* The set bits of a word, one after another.
   build: gcc -O2
   build x86-64: gcc -O2 -mbmi
   silent: * */
#include "corpus.h"

static double total;

KERNEL unsigned kernel(unsigned long bits)
{
    unsigned sum = 0;
    while (bits) {
        sum += (unsigned) __builtin_ctzl(bits) + 1;
        bits &= bits - 1;
    }
    return sum;
}

void set_up(void)
{
}

void run(void)
{
    total = kernel(0x123456789abcdef0ul);
}

double result(void)
{
    return total;
}
