/* The checksum of Ethernet and zip, with a table of what eight steps do to each byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 4000 };

static uint32_t table[256];

static void fill_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        table[i] = crc;
    }
}

__attribute__((noipa)) uint32_t kernel(const unsigned char *data, long count)
{
    uint32_t crc = 0xffffffff;
    for (long i = 0; i < count; i++)
        crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
    return ~crc;
}

int main(int count, char **words)
{
    static unsigned char data[LENGTH];
    long repetitions = count > 1 ? atol(words[1]) : 10;
    unsigned long sum = 0;
    fill_table();
    for (int i = 0; i < LENGTH; i++)
        data[i] = (unsigned char)(i * 7);
    for (long k = 0; k < repetitions; k++)
        sum += kernel(data, LENGTH);
    printf("%lu\n", sum);
}
