/* Adler's checksum with a remainder for each byte.
   build: gcc -O2
   cure: divide-less -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { BYTES = 4000 };
static uint8_t bytes[BYTES];
KERNEL unsigned kernel(const uint8_t *p, int n)
{
    unsigned a = 1, b = 0;
    for (int i = 0; i < n; i++) {
#if CURE == 1
        a += p[i];
        b += a;
    }
    a %= 65521, b %= 65521;
#else
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521;
    }
#endif
    return b << 16 | a;
}
void set_up(void)
{
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)draw();
}
void run(void)
{
    total = kernel(bytes, BYTES);
}
RESULT_TOTAL
