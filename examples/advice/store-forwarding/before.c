/* The keys of a table have three fields. These are stored one by one, and the hash function loads all eight bytes at once: it
   waits until the stores have reached the cache. */
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
        uint64_t whole;
        keys[i].kind = kinds[i];
        keys[i].port = ports[i];
        keys[i].host = hosts[i];
        memcpy(&whole, &keys[i], sizeof whole);
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
