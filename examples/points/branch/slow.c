/* The two kinds of items come in any order. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 65536 };
struct item {
    unsigned kind, value;
};
static unsigned sums[4];

__attribute__((noipa)) static void work(const struct item *items)
{
    for (int i = 0; i < COUNT; i++) {
        if (items[i].kind) { /* the point */
            sums[0] += items[i].value;
            sums[1] ^= items[i].value << 3;
        } else {
            sums[2] += items[i].value;
            sums[3] -= items[i].value >> 2;
        }
    }
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    struct item *items = calloc(COUNT, sizeof *items);
    unsigned state = 1;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        items[i].kind = state >> 31;
        items[i].value = state * 7;
    }
    for (long k = 0; k < repetitions; k++)
        work(items);
    printf("%u %u %u %u\n", sums[0], sums[1], sums[2], sums[3]);
}
