/* A CRC with a table: the lookup needs the last result.
   build: gcc -O3
   silent: * */
#include "corpus.h"

static unsigned table[256];
static unsigned char bytes[N];
static double total;

KERNEL unsigned kernel(const unsigned *table, const unsigned char *bytes, int n)
{
    unsigned crc = 0xffffffff;
    for (int i = 0; i < n; i++)
        crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
    return ~crc;
}

void set_up(void)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned value = i;
        for (int k = 0; k < 8; k++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
        table[i] = value;
    }
    for (int i = 0; i < N; i++)
        bytes[i] = (unsigned char) (i * 7);
}

void run(void)
{
    total = kernel(table, bytes, N);
}

double result(void)
{
    return total;
}
