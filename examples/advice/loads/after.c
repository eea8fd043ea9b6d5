/* The coefficients are copied to a local variable first, which nothing else can change: they stay in registers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct key {
    uint32_t flip, add, keep, set, shift_in, last;
};
enum { COUNT = 1000 };
static uint32_t x[COUNT], y[COUNT];

__attribute__((noinline)) void kernel(int n, const uint32_t *from, uint32_t *to, const struct key *where)
{
    struct key key = *where;
    for (int i = 0; i < n; i++)
        to[i] = (((((from[i] ^ key.flip) + key.add) & key.keep) | key.set) + key.shift_in) ^ key.last;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    const struct key key = {0x5555, 1000003, 0xffff0f0f, 0x80, 17, 0x1234};
    uint32_t sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (uint32_t)i * 2654435761U;
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y, &key);
    for (int i = 0; i < COUNT; i++)
        sum += y[i];
    printf("%u\n", sum);
    return 0;
}
