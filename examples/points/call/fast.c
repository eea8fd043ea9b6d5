/* The items are sorted by kind. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 65536 };
struct item {
    unsigned kind, value;
};
static unsigned sums[4];

static int by_kind(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static void add(unsigned value)
{
    sums[0] += value;
}

static void mix(unsigned value)
{
    sums[1] ^= value << 3;
}

static void take(unsigned value)
{
    sums[2] -= value >> 2;
}

static void square(unsigned value)
{
    sums[3] += value * value;
}

static void (*const actions[4])(unsigned) = {add, mix, take, square};

__attribute__((noipa)) static void work(const struct item *items)
{
    for (int i = 0; i < COUNT; i++)
        actions[items[i].kind](items[i].value);
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    struct item *items = calloc(COUNT, sizeof *items);
    unsigned state = 1;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        items[i].kind = state >> 30;
        items[i].value = state * 7;
    }
    qsort(items, COUNT, sizeof *items, by_kind);
    for (long k = 0; k < repetitions; k++)
        work(items);
    printf("%u %u %u %u\n", sums[0], sums[1], sums[2], sums[3]);
}
