/* The eight kinds of items come in any order. */
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
        unsigned value = items[i].value;
        switch (items[i].kind) { /* the point */
        case 0:
            sums[0] += value;
            break;
        case 1:
            sums[1] ^= value << 3;
            break;
        case 2:
            sums[2] -= value >> 2;
            break;
        case 3:
            sums[3] += value * value;
            break;
        case 4:
            sums[0] -= value << 5;
            break;
        case 5:
            sums[1] ^= ~value;
            break;
        case 6:
            sums[2] += value / 3;
            break;
        case 7:
            sums[3] += value | 5;
            break;
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
        items[i].kind = state >> 29;
        items[i].value = state * 7;
    }
    for (long k = 0; k < repetitions; k++)
        work(items);
    printf("%u %u %u %u\n", sums[0], sums[1], sums[2], sums[3]);
}
