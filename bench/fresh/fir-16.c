/* A filter of 16 taps.
   build: clang -O2
   cure: partial-sums -DCURE=1
   cure: exchange -DCURE=2 -O3
   best: -O3 -ffast-math */
#include "fresh.h"
enum { TAPS = 16 };
static float in[N + TAPS], out[N], taps[TAPS];
KERNEL void kernel(float *R y, const float *R x, const float *R h, int n)
{
#if CURE == 2
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int k = 0; k < TAPS; k++)
        for (int i = 0; i < n; i++)
            y[i] += h[k] * x[i + k];
#else
    for (int i = 0; i < n; i++) {
#if CURE == 1
        float s[4] = {0};
        for (int k = 0; k < TAPS; k += 4)
            for (int l = 0; l < 4; l++)
                s[l] += h[k + l] * x[i + k + l];
        y[i] = s[0] + s[1] + (s[2] + s[3]);
#else
        float sum = 0;
        SIMD_SUM(sum)
        for (int k = 0; k < TAPS; k++)
            sum += h[k] * x[i + k];
        y[i] = sum;
#endif
    }
#endif
}
void set_up(void)
{
    for (int i = 0; i < N + TAPS; i++)
        in[i] = (float)uniform();
    for (int i = 0; i < TAPS; i++)
        taps[i] = (float)uniform();
}
void run(void)
{
    kernel(out, in, taps, N);
}
RESULT(out, N)
