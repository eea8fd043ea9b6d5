/* A checksum, bit by bit: a table of 256 entries does eight steps at once.
   build: gcc -O2
   says: bit-by-bit potential table
   remedy: bit-by-bit table -DREMEDY
   measured: bit-by-bit table cascade-lake 3.32 */
#include <stdint.h>
#include "corpus.h"

static unsigned char data[N];
static uint32_t table[256], found;

KERNEL uint32_t kernel(const unsigned char *data, long count)
{
    uint32_t crc = 0xffffffff;
    for (long i = 0; i < count; i++) {
#ifdef REMEDY
        crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
#else
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
#endif
    }
    return ~crc;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)(i * 7);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        table[i] = crc;
    }
}

void run(void)
{
    found = kernel(data, N);
}

double result(void)
{
    return found;
}
