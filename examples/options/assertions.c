/* slow: -O2   fast: -O2 -DNDEBUG
   A walk through a table whose every access is asserted. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct table {
    unsigned count;
    unsigned *next;
};

__attribute__((noinline)) static unsigned at(const struct table *table, unsigned i)
{
    assert(table->next);
    assert(i < table->count);
    assert(table->next[i] < table->count);
    assert(table->next[table->next[i]] < table->count);
    return table->next[i];
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 60000000;
    struct table table = {.count = 1021, .next = malloc(1021 * sizeof(unsigned))};
    for (unsigned i = 0; i < table.count; i++)
        table.next[i] = (i * 7 + 3) % table.count;
    unsigned sum = 0;
    for (long i = 0; i < steps; i++)
        sum += at(&table, (unsigned)i % 1021);
    printf("%u\n", sum);
}
