/* Each pixel becomes the middle one of three.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -O3 -DCURE=1 */
#include "fresh.h"
static uint8_t in[N + 2], out[N];
KERNEL void kernel(uint8_t *R to, const uint8_t *R p, int n)
{
    for (int i = 0; i < n; i++) {
        uint8_t a = p[i], b = p[i + 1], c = p[i + 2];
#if CURE == 1
        uint8_t low = a < b ? a : b, high = a < b ? b : a, most = high < c ? high : c;
        to[i] = low > most ? low : most;
#else
        if (a > b) {
            uint8_t t = a;
            a = b;
            b = t;
        }
        if (b > c)
            b = c;
        to[i] = a > b ? a : b;
#endif
    }
}
void set_up(void)
{
    for (int i = 0; i < N + 2; i++)
        in[i] = (uint8_t)draw();
}
void run(void)
{
    kernel(out, in, N);
}
RESULT(out, N)
