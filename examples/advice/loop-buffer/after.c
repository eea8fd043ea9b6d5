/* Offsets are as long as addresses: the addressing modes of the loads do all additions. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, SKIPPED = 200 };
static uint32_t x[8 * COUNT], y[COUNT];

__attribute__((noinline)) void kernel(size_t n, const uint32_t *from, uint32_t *to, size_t second, size_t third,
                                      size_t fourth, size_t fifth, size_t sixth, size_t seventh)
{
    for (size_t i = 0; i != n; i++)
        to[i] = (from[i + SKIPPED] ^ 0x12345678) + (from[i + second + SKIPPED] ^ 0x23456789) +
                (from[i + third + SKIPPED] ^ 0x3456789a) + (from[i + fourth + SKIPPED] ^ 0x456789ab) +
                (from[i + fifth + SKIPPED] ^ 0x56789abc) + (from[i + sixth + SKIPPED] ^ 0x6789abcd) +
                (from[i + seventh + SKIPPED] ^ 0x789abcde);
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    uint32_t sum = 0;
    for (int i = 0; i < 8 * COUNT; i++)
        x[i] = (uint32_t)i * 2654435761U;
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y, COUNT, 2 * COUNT, 3 * COUNT, 4 * COUNT, 5 * COUNT, 6 * COUNT);
    for (int i = 0; i < COUNT; i++)
        sum += y[i];
    printf("%u\n", sum);
    return 0;
}
