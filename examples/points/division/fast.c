/* The size is a power of two, so that the remainder is a mask. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static unsigned long keys[COUNT];

__attribute__((noipa)) static unsigned long add_up(unsigned long size)
{
    unsigned long sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += keys[i] & (size - 1);
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    unsigned long sum = 0;
    for (int i = 0; i < COUNT; i++)
        keys[i] = (unsigned long)i * 0x9e3779b97f4a7c15u;
    for (long k = 0; k < repetitions; k++)
        sum += add_up(64ul << (k & 3));
    printf("%lu\n", sum);
}
