/* A payload of 1400 bytes, copied byte by byte.
   build: gcc -O2
   cure: copy -DCURE=1
   best: -DCURE=1 */
#include <string.h>
#include "fresh.h"
enum { BYTES = 1400 };
static uint8_t from[BYTES], to[BYTES];
KERNEL void kernel(uint8_t *R a, const uint8_t *R b, int n)
{
#if CURE == 1
    memcpy(a, b, (size_t)n);
#else
    for (int i = 0; i < n; i++)
        a[i] = b[i];
#endif
}
void set_up(void)
{
    for (int i = 0; i < BYTES; i++)
        from[i] = (uint8_t)draw();
}
void run(void)
{
    kernel(to, from, BYTES);
}
RESULT(to, BYTES)
