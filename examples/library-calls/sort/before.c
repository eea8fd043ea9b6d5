/* Few elements are sorted again and again, by a function that is called through a pointer. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 8 };
struct item {
    unsigned key, value;
};

static int by_key(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

__attribute__((noinline)) static void kernel(struct item *items)
{
    qsort(items, LENGTH, sizeof *items, by_key); /* the call */
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
