/* The first paper's 6.2.3 in small: 32-bit words of several messages, worked on side by side.  The messages lie a power
   of two apart, so that word i of all of them falls into the same set of the cache, and they throw each other out.
   -DPADDED is the fix: a line more between them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 16, WORDS = 4096 };
#ifdef PADDED
enum { DISTANCE = WORDS + 16 };
#else
enum { DISTANCE = WORDS };
#endif

static uint32_t words[MESSAGES * DISTANCE] __attribute__((aligned(4096)));

__attribute__((noinline)) static uint32_t mix(const uint32_t *message, int from, int count)
{
    uint32_t all = 0;
    for (int i = from; i < from + count; i++)
        for (int m = 0; m < MESSAGES; m++) {
            uint32_t word = message[m * DISTANCE + i * 16 % WORDS];
            all = (all << 5 | all >> 27) + (word ^ (uint32_t)i);
        }
    return all;
}

int main(void)
{
    uint32_t all = 0;
    for (int i = 0; i < MESSAGES * DISTANCE; i++)
        words[i] = (uint32_t)i * 2654435761u;
    for (int turn = 0; turn < 400000; turn++)
        all += mix(words, turn % 8, 32);
    printf("%u\n", all);
    return 0;
}
