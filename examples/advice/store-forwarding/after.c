/* The same keys, each built in a register and stored whole: the hash function has it already. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key {
    uint16_t kind, port;
    uint32_t host;
};
enum { COUNT = 1000 };
static uint16_t kinds[COUNT], ports[COUNT];
static uint32_t hosts[COUNT];

__attribute__((noinline)) uint64_t kernel(struct key *keys, uint64_t sum)
{
    for (int i = 0; i < COUNT; i++) {
        uint64_t whole = kinds[i] | (uint64_t)ports[i] << 16 | (uint64_t)hosts[i] << 32;
        memcpy(&keys[i], &whole, sizeof whole);
        sum += whole ^ whole >> 29;
    }
    return sum;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    static struct key keys[COUNT];
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++) {
        kinds[i] = (uint16_t)(i * 7);
        ports[i] = (uint16_t)(i * 11);
        hosts[i] = (uint32_t)i * 13;
    }
    for (long r = 0; r < repetitions; r++)
        sum = kernel(keys, sum);
    printf("%llu %u\n", (unsigned long long)(sum / (uint64_t)repetitions), keys[1].host);
    return 0;
}
