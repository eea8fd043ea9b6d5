/* Two hexadecimal digits of each byte by sprintf, which reads its format each time.
   build: gcc -O2
   says: calls potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper cascade-lake 110.32 */
#include <stdio.h>
#include "corpus.h"

static unsigned char bytes[N];
static char text[2 * N + 1];

KERNEL void kernel(char *text, const unsigned char *bytes, int n)
{
    for (int i = 0; i < n; i++) {
#ifdef REMEDY
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
#else
        sprintf(text + 2 * i, "%02x", bytes[i]);
#endif
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        bytes[i] = (unsigned char) (i * 37);
}

void run(void)
{
    kernel(text, bytes, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < 2 * N; i++)
        sum += text[i] * (i % 5 + 1);
    return sum;
}
