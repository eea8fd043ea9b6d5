/* A histogram of bytes; neighbours are often equal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8192 };
static unsigned char bytes[LENGTH];
static unsigned counts[256];

__attribute__((noipa)) void kernel(unsigned *counts, const unsigned char *bytes, long count)
{
    for (long i = 0; i < count; i++)
        counts[bytes[i]]++;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    unsigned sum = 0;
    for (int i = 0; i < LENGTH; i++)
        bytes[i] = (unsigned char) (i / 40);
    for (long k = 0; k < repetitions; k++) {
        memset(counts, 0, sizeof counts);
        kernel(counts, bytes, LENGTH);
        sum += counts[k % 256];
    }
    printf("%u\n", sum);
}
