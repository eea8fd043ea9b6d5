/* slow: -O2   fast: -O2 -mpopcnt
   Bits of a set are counted.  Without -mpopcnt code for x86-64 calls a function for each word, because its first processors had no
   instruction for it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 4096 };

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 40000;
    static uint64_t words[WORDS];
    uint64_t state = 1, count = 0;
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = state = state * 6364136223846793005u + 1442695040888963407u;
    for (long round = 0; round < rounds; round++)
        for (unsigned i = 0; i < WORDS; i++)
            count += (uint64_t)__builtin_popcountll(words[i]) ^ (uint64_t)round;
    printf("%llu\n", (unsigned long long)count);
}
