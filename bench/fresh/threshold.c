/* A picture in black and white, and how much of it is white.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -O3 */
#include "fresh.h"
enum { PIXELS = 20000 };
static uint8_t in[PIXELS], out[PIXELS];
KERNEL int kernel(uint8_t *R to, const uint8_t *R p, int limit, int n)
{
    int white = 0;
    for (int i = 0; i < n; i++) {
#if CURE == 1
        int is_white = p[i] > limit;
        to[i] = (uint8_t)-is_white;
        white += is_white;
#else
        if (p[i] > limit) {
            to[i] = 255;
            white++;
        } else {
            to[i] = 0;
        }
#endif
    }
    return white;
}
void set_up(void)
{
    for (int i = 0; i < PIXELS; i++)
        in[i] = (uint8_t)draw();
}
void run(void)
{
    total = kernel(out, in, 127, PIXELS);
}
RESULT(out, PIXELS)
