/* The arrays are aligned to 64 bytes: every vector lies in one cache line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };
static struct {
    uint64_t length;
    uint64_t x[COUNT] __attribute__((aligned(64)));
    uint64_t y[COUNT] __attribute__((aligned(64)));
} data;

__attribute__((noinline)) uint64_t kernel(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += data.x[i] ^ data.y[i];
    return sum;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++) {
        data.x[i] = (uint64_t)i * 2654435761U;
        data.y[i] = (uint64_t)i * i;
    }
    for (long r = 0; r < repetitions; r++) {
        data.x[r % COUNT]++;
        sum += kernel();
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
