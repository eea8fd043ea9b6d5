/* Four bytes are stored one by one for each number: one store of four bytes has them all.
   build: gcc -O2
   says aarch64: stores hint combine-stores
   remedy: stores combine-stores -DREMEDY
   measured: stores combine-stores neoverse-v1 1.48 */
#include <stdint.h>
#include <string.h>
#include "corpus.h"

static unsigned char bytes[4 * N], table[256];
static uint32_t x[N];

KERNEL void kernel(unsigned char *restrict to, const uint32_t *restrict from, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t value = from[i] * 3;
#ifdef REMEDY
        uint32_t all = (value & 15) | (value >> 8 & 15) << 8 | (value >> 16 & 15) << 16 | (value >> 24 & 15) << 24;
        memcpy(to + 4 * i, &all, sizeof all);
#else
        to[4 * i] = (unsigned char) (value & 15);
        to[4 * i + 1] = (unsigned char) (value >> 8 & 15);
        to[4 * i + 2] = (unsigned char) (value >> 16 & 15);
        to[4 * i + 3] = (unsigned char) (value >> 24 & 15);
#endif
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = (uint32_t) i * 2654435761u;
    for (int i = 0; i < 256; i++)
        table[i] = (unsigned char) (i * 7);
}

void run(void)
{
    kernel(bytes, x, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < 4 * N; i++)
        sum += bytes[i] * (i % 3 + 1);
    return sum;
}
