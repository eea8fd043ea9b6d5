/* Both arrays begin 8 bytes after a multiple of 64, because of the number before them: every vector of 64 bytes lies in
   two cache lines, and takes two turns to load. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };
static struct {
    uint64_t length;
    uint64_t x[COUNT];
    uint64_t gap[8];
    uint64_t y[COUNT];
} data __attribute__((aligned(64)));

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
