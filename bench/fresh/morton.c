/* The bits of two 16-bit numbers in turns, one by one.
   build: gcc -O2
   cure: popcount -DCURE=1
   cure: other -DCURE=1
   cure: table -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
static uint16_t xs[N], ys[N];
static uint32_t codes[N];
static inline uint32_t spread(uint32_t x)
{
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}
KERNEL void kernel(uint32_t *R to, const uint16_t *R x, const uint16_t *R y, int n)
{
    for (int i = 0; i < n; i++) {
#if CURE == 1
        to[i] = spread(x[i]) | spread(y[i]) << 1;
#else
        uint32_t code = 0;
        for (int bit = 0; bit < 16; bit++)
            code |= (uint32_t)(x[i] >> bit & 1) << 2 * bit | (uint32_t)(y[i] >> bit & 1) << (2 * bit + 1);
        to[i] = code;
#endif
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++) {
        xs[i] = (uint16_t)draw();
        ys[i] = (uint16_t)draw();
    }
}
void run(void)
{
    kernel(codes, xs, ys, N);
}
RESULT(codes, N)
