/* The fields of a key are stored and loaded one by one, with the same width: each load gets its value from the store buffer.
   build: gcc -O2
   silent: store-forwarding */
#include "corpus.h"

#include <stdint.h>

struct key {
    volatile uint16_t kind, port;
    volatile uint32_t host;
};
static uint32_t hosts[N];
static struct key keys[N];
static uint64_t total;

KERNEL uint64_t kernel(struct key *to, uint64_t sum)
{
    for (int i = 0; i < N; i++) {
        to[i].kind = (uint16_t)hosts[i];
        to[i].host = hosts[i];
        sum += to[i].kind + (uint64_t)to[i].host * 3;
    }
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        hosts[i] = (uint32_t)i * 13;
}

void run(void)
{
    total = kernel(keys, 0);
}

double result(void)
{
    return (double)total;
}
