/* The same numbers in an array. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 262144 };

__attribute__((noipa)) static unsigned add_up(const unsigned *values, long count)
{
    unsigned sum = 0;
    for (long i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    unsigned *values = calloc(COUNT, sizeof *values), sum = 0;
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = i;
    for (long k = 0; k < repetitions; k++)
        sum = sum * 3 + add_up(values, COUNT);
    printf("%u\n", sum);
}
