/* Both cases add: the value, or 0, by a mask that is all ones or all zeros. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2000, KEYS = 32000 };
static unsigned char key[KEYS];
static int value[LENGTH];

__attribute__((noipa)) long kernel(const unsigned char *keys, const int *values, int count, int limit)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] & -(keys[i] < limit);
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    unsigned random = 1;
    long sum = 0;
    for (int i = 0; i < LENGTH; i++)
        value[i] = i;
    for (int i = 0; i < KEYS; i++)
        key[i] = (random = random * 1664525 + 1013904223) >> 24;
    for (long k = 0; k < repetitions; k++)
        sum += kernel(key + k * 1237 % (KEYS - LENGTH), value, LENGTH, 128);
    printf("%ld\n", sum);
}
