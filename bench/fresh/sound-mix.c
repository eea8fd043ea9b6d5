/* Two sounds, added with limits.
   build: clang -O2
   cure: branch-free -DCURE=1 -O3
   best: -O3 */
#include "fresh.h"
static int16_t a[N], b[N], c[N];
KERNEL void kernel(int16_t *R c, const int16_t *R a, const int16_t *R b, int n)
{
    for (int i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        if (sum > 32767)
            sum = 32767;
        if (sum < -32768)
            sum = -32768;
        c[i] = (int16_t)sum;
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        a[i] = (int16_t)draw(), b[i] = (int16_t)draw();
}
void run(void)
{
    kernel(c, a, b, N);
}
RESULT(c, N)
