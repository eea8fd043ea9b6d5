/* The fields of a key are stored one by one, then the key is loaded as one number: the load is wider than the stores that are
   still in the store buffer.
   build: gcc -O2
   says: store-forwarding gain access-width
   remedy: store-forwarding access-width -DREMEDY
   measured: store-forwarding access-width golden-cove 10.70
   measured: store-forwarding access-width neoverse-v1 7.70 */
#include "corpus.h"

#include <stdint.h>
#include <string.h>

struct key {
    uint16_t kind, port;
    uint32_t host;
};
static uint16_t kinds[N], ports[N];
static uint32_t hosts[N];
static struct key keys[N];
static uint64_t total;

KERNEL uint64_t kernel(struct key *to, uint64_t sum)
{
    for (int i = 0; i < N; i++) {
        uint64_t whole;
#ifdef REMEDY
        whole = kinds[i] | (uint64_t)ports[i] << 16 | (uint64_t)hosts[i] << 32;
        memcpy(&to[i], &whole, sizeof whole);
#else
        to[i].kind = kinds[i];
        to[i].port = ports[i];
        to[i].host = hosts[i];
        memcpy(&whole, &to[i], sizeof whole);
#endif
        sum += whole ^ whole >> 29;
    }
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        kinds[i] = (uint16_t)(i * 7);
        ports[i] = (uint16_t)(i * 11);
        hosts[i] = (uint32_t)i * 13;
    }
}

void run(void)
{
    total = kernel(keys, 0);
}

double result(void)
{
    double sum = (double)total;
    for (int i = 0; i < N; i++)
        sum += keys[i].kind + keys[i].port + keys[i].host;
    return sum;
}
