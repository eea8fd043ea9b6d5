/* A checksum that takes the remainder of its sums for each byte: the next one waits for it.
   build: gcc -O2
   says: integer-division potential divide-less
   remedy: integer-division divide-less -DREMEDY
   measured: integer-division divide-less skylake-x 6.15 */
#include "corpus.h"

static unsigned char data[N];
static double total;

KERNEL unsigned kernel(const unsigned char *data, int n)
{
    unsigned low = 0, high = 0;
#ifdef REMEDY
    for (int i = 0; i < n; i++) { /* 1000 bytes: no overflow */
        low += data[i];
        high += low;
    }
    low %= 255;
    high %= 255;
#else
    for (int i = 0; i < n; i++) {
        low = (low + data[i]) % 255;
        high = (high + low) % 255;
    }
#endif
    return high << 8 | low;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char) (i * 37);
}

void run(void)
{
    total = kernel(data, N);
}

double result(void)
{
    return total;
}
