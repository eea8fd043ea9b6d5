/* A row of pixels, stretched with interpolation.
   build: gcc -O2 */
#include "fresh.h"
static uint8_t from[700];
static uint8_t to[N];
static int place[N], part[N];
KERNEL void kernel(uint8_t *R to, const uint8_t *R from, const int *R place, const int *R part, int n)
{
    for (int i = 0; i < n; i++) {
        int k = place[i], f = part[i];
        to[i] = (uint8_t)((from[k] * (256 - f) + from[k + 1] * f) >> 8);
    }
}
void set_up(void)
{
    for (int i = 0; i < 700; i++)
        from[i] = (uint8_t)draw();
    for (int i = 0; i < N; i++)
        place[i] = i * 699 / N, part[i] = i * 699 * 256 / N % 256;
}
void run(void)
{
    kernel(to, from, place, part, N);
}
RESULT(to, N)
