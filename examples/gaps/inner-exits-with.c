/* The loop inside has 1 to 8 iterations in any order: its end is guessed wrong. */
#include <stdio.h>

static unsigned words[64], lengths[4096];

__attribute__((noinline)) unsigned add_up(const unsigned *lengths, unsigned times)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < times; i++) {
        unsigned length = lengths[i & 4095];
        for (unsigned k = 0; k < length; k++)
            sum += words[k];
        sum ^= i;
    }
    return sum;
}

int main(void)
{
    unsigned random = 1;
    for (unsigned i = 0; i < 4096; i++) {
        random = random * 1664525 + 1013904223;
        words[i & 63] = random;
#ifdef SAME
        lengths[i] = 4;
#else
        lengths[i] = 1 + (random >> 29);
#endif
    }
    printf("%u\n", add_up(lengths, 60000000));
}
