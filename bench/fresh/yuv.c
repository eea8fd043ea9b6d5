/* Packed red, green and blue bytes to brightness and two colours.
   build: gcc -O3
   best: -march=native */
#include "fresh.h"
static uint8_t rgb[3 * N], luma[N], blue[N], red[N];
KERNEL void kernel(uint8_t *R y, uint8_t *R u, uint8_t *R v, const uint8_t *R p, int n)
{
    for (int i = 0; i < n; i++) {
        int r = p[3 * i], g = p[3 * i + 1], b = p[3 * i + 2];
        y[i] = (uint8_t)((66 * r + 129 * g + 25 * b + 4224) >> 8);
        u[i] = (uint8_t)((-38 * r - 74 * g + 112 * b + 32896) >> 8);
        v[i] = (uint8_t)((112 * r - 94 * g - 18 * b + 32896) >> 8);
    }
}
void set_up(void)
{
    for (int i = 0; i < 3 * N; i++)
        rgb[i] = (uint8_t)draw();
}
void run(void)
{
    kernel(luma, blue, red, rgb, N);
    total = blue[5] + red[N - 7];
}
RESULT(luma, N)
