/* The first paper's 6.2.3 in small: 32-bit words of many messages, worked on side by side.  The messages lie a power of
   two apart, so that word i of all of them falls into the same few sets of the cache, and they throw each other out.
   -DPADDED is the fix: a line more between them.  Argument: how often. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 128, WORDS = 4096, LINE = 16 };
#ifdef PADDED
enum { DISTANCE = WORDS + LINE };
#else
enum { DISTANCE = WORDS };
#endif

static uint32_t words[MESSAGES * DISTANCE] __attribute__((aligned(4096)));

__attribute__((noinline)) static uint32_t mix(const uint32_t *message, int from, int count)
{
    uint32_t all = 0;
    for (int i = from; i < from + count; i++)
        for (int m = 0; m < MESSAGES; m++) {
            uint32_t word = message[m * DISTANCE + i * LINE];
            all = (all << 5 | all >> 27) + (word ^ (uint32_t)i);
        }
    return all;
}

int main(int count, char **arguments)
{
    uint32_t all = 0;
    int turns = count > 1 ? atoi(arguments[1]) : 400000;
    for (int i = 0; i < MESSAGES * DISTANCE; i++)
        words[i] = (uint32_t)i * 2654435761u;
    for (int turn = 0; turn < turns; turn++)
        all += mix(words, turn % 2, 4);
    printf("%u\n", all);
    return 0;
}
