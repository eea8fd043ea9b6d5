/* A hash table of a variable size: the remainder of 64-bit numbers for each access. The remedy multiplies by the inverse.
   build: gcc -O2
   says: integer-division potential divide-less
   remedy: integer-division divide-less -DREMEDY
   measured: integer-division divide-less golden-cove 4.88
   measured: integer-division divide-less neoverse-v1 4.69 */
#include "corpus.h"

#include <stdint.h>

enum { SIZE = 1021 };
static uint64_t hashes[N], total;
static uint32_t table[SIZE];

KERNEL uint64_t kernel(const uint64_t *hash, const uint32_t *from, uint64_t size)
{
    uint64_t sum = 0;
#ifdef REMEDY
    uint64_t inverse = UINT64_MAX / size + 1; /* hashes have 32 bits: Lemire's remainder */
    for (int i = 0; i < N; i++)
        sum += from[(uint64_t)((unsigned __int128)(inverse * hash[i]) * size >> 64)];
#else
    for (int i = 0; i < N; i++)
        sum += from[hash[i] % size];
#endif
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        hashes[i] = (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (int i = 0; i < SIZE; i++)
        table[i] = (uint32_t)(i * 7 % 32);
}

void run(void)
{
    total = kernel(hashes, table, SIZE);
}

double result(void)
{
    return (double)total;
}
