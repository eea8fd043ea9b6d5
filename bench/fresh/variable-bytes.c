/* Numbers of one to five bytes, seven bits each, to an array.
   build: gcc -O2 */
#include "fresh.h"
enum { COUNT = 20000 };
static uint8_t bytes[5 * COUNT];
static unsigned numbers[COUNT];
KERNEL void kernel(unsigned *R to, const uint8_t *R p, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned value = 0;
        int shift = 0;
        while (*p & 128) {
            value |= (unsigned)(*p++ & 127) << shift;
            shift += 7;
        }
        to[i] = value | (unsigned)*p++ << shift;
    }
}
void set_up(void)
{
    uint8_t *p = bytes;
    for (int i = 0; i < COUNT; i++) {
        unsigned value = draw() >> draw() % 31;
        for (; value > 127; value >>= 7)
            *p++ = (uint8_t)(value | 128);
        *p++ = (uint8_t)value;
    }
}
void run(void)
{
    kernel(numbers, bytes, COUNT);
}
RESULT(numbers, COUNT)
