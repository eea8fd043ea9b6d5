/* Four tables, one for each of four neighbouring bytes, added up after the loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8192 };
static unsigned char bytes[LENGTH];
static unsigned counts[256];

__attribute__((noipa)) void kernel(unsigned *counts, const unsigned char *bytes, long count)
{
    unsigned tables[4][256] = {0};
    for (long i = 0; i + 3 < count; i += 4) {
        tables[0][bytes[i]]++;
        tables[1][bytes[i + 1]]++;
        tables[2][bytes[i + 2]]++;
        tables[3][bytes[i + 3]]++;
    }
    for (int i = 0; i < 256; i++)
        counts[i] += tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i];
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
