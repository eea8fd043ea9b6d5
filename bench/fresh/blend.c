/* Two pictures mixed by a mask of bytes, divided by 255.
   build: gcc -O2
   best: -O3 */
#include "fresh.h"
static uint8_t a[N], b[N], mask[N], mixed[N];
KERNEL void kernel(uint8_t *R to, const uint8_t *R a, const uint8_t *R b, const uint8_t *R m, int n)
{
    SIMD_LOOP
    for (int i = 0; i < n; i++)
        to[i] = (uint8_t)((a[i] * m[i] + b[i] * (255 - m[i])) / 255);
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        a[i] = (uint8_t)draw(), b[i] = (uint8_t)draw(), mask[i] = (uint8_t)draw();
}
void run(void)
{
    kernel(mixed, a, b, mask, N);
}
RESULT(mixed, N)
