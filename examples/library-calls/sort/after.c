/* The comparison stands in the loop. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 8 };
struct item {
    unsigned key, value;
};

__attribute__((noinline)) static void kernel(struct item *items)
{
    for (int i = 1; i < LENGTH; i++) {
        struct item moved = items[i];
        int to = i;
        for (; to > 0 && items[to - 1].key > moved.key; to--)
            items[to] = items[to - 1];
        items[to] = moved;
    }
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    struct item items[LENGTH];
    unsigned seed = 1, sum = 0;
    for (long k = 0; k < repetitions; k++) {
        for (unsigned i = 0; i < LENGTH; i++) {
            seed = seed * 1664525u + 1013904223u;
            items[i] = (struct item){seed >> 8, i};
        }
        kernel(items);
        sum = sum * 31 + items[k % LENGTH].key;
    }
    printf("%u\n", sum);
}
