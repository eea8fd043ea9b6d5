/* The same table: the remainder by a power of two is a mask. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, SIZE = 1024 };
static uint64_t hashes[COUNT];
static uint32_t table[SIZE];

__attribute__((noipa)) uint64_t kernel(const uint64_t *hash, const uint32_t *from, uint64_t size)
{
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += from[hash[i] & (size - 1)];
    return sum;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    uint64_t total = 0;
    for (int i = 0; i < COUNT; i++)
        hashes[i] = (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < SIZE; i++)
        table[i] = (uint32_t)(i * 7 % 32);
    for (long r = 0; r < repetitions; r++)
        total += kernel(hashes, table, SIZE);
    printf("%llu\n", (unsigned long long)(total / (uint64_t)repetitions));
    return 0;
}
