/* A library whose loop calls a small exported function: through the PLT, because another library may replace it. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static unsigned words[LENGTH / 32 + 1];

int is_member(const unsigned *set, int i)
{
    return set[i >> 5] >> (i & 31) & 1;
}

__attribute__((noinline)) int kernel(const unsigned *set, int count)
{
    int members = 0;
    for (int i = 0; i < count; i++)
        members += is_member(set, i);
    return members;
}

int main(int count, char **arguments)
{
    long repetitions = count > 1 ? atol(arguments[1]) : 100, sum = 0;
    for (int i = 0; i <= LENGTH / 32; i++)
        words[i] = 0x9e3779b9u * (unsigned)i;
    for (long k = 0; k < repetitions; k++) {
        words[k % 30] ^= (unsigned)k;
        sum += kernel(words, LENGTH);
    }
    printf("%ld\n", sum);
}
