/* The checksum of Ethernet and zip, bit by bit. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 4000 };

__attribute__((noipa)) uint32_t kernel(const unsigned char *data, long count)
{
    uint32_t crc = 0xffffffff;
    for (long i = 0; i < count; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

int main(int count, char **words)
{
    static unsigned char data[LENGTH];
    long repetitions = count > 1 ? atol(words[1]) : 10;
    unsigned long sum = 0;
    for (int i = 0; i < LENGTH; i++)
        data[i] = (unsigned char)(i * 7);
    for (long k = 0; k < repetitions; k++)
        sum += kernel(data, LENGTH);
    printf("%lu\n", sum);
}
