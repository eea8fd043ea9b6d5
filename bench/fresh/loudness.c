/* The mean square of 16-bit samples.
   build: clang -O3
   cure: partial-sums -DCURE=1
   cure: precision -DCURE=2
   best: -DCURE=2 */
#include "fresh.h"
static int16_t samples[N];
KERNEL double kernel(const int16_t *p, int n)
{
#if CURE == 1
    double s[4] = {0};
    for (int i = 0; i < n; i += 4)
        for (int l = 0; l < 4; l++)
            s[l] += (double)p[i + l] * p[i + l];
    return (s[0] + s[1] + s[2] + s[3]) / n;
#elif CURE == 2
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i] * p[i];
    return (double)sum / n;
#else
    double sum = 0;
    SIMD_SUM(sum)
    for (int i = 0; i < n; i++)
        sum += (double)p[i] * p[i];
    return sum / n;
#endif
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        samples[i] = (int16_t)draw();
}
void run(void)
{
    total = kernel(samples, N);
}
RESULT_TOTAL
