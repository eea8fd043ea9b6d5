/* Four bytes are put into a buffer, then read as one number.
   build: gcc -O2
   says: store-forwarding gain access-width
   remedy: store-forwarding access-width -DREMEDY
   measured: store-forwarding access-width golden-cove 7.01
   measured: store-forwarding access-width neoverse-v1 4.93 */
#include "corpus.h"

#include <stdint.h>
#include <string.h>

static unsigned char text[N], words[4 * N];
static uint64_t total;

KERNEL uint64_t kernel(unsigned char *buffer, const unsigned char *from, uint64_t sum)
{
    for (int i = 0; i + 4 <= N; i++, buffer += 4) {
        uint32_t word;
#ifdef REMEDY
        word = from[i] | (uint32_t)from[i + 2] << 8 | (uint32_t)from[i + 1] << 16 | (uint32_t)from[i + 3] << 24;
        memcpy(buffer, &word, sizeof word);
#else
        buffer[0] = from[i];
        buffer[2] = from[i + 1];
        buffer[1] = from[i + 2];
        buffer[3] = from[i + 3];
        memcpy(&word, buffer, sizeof word);
#endif
        sum += word % 16;
    }
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        text[i] = (unsigned char)(i * 7);
}

void run(void)
{
    total = kernel(words, text, 0);
}

double result(void)
{
    return (double)total;
}
