/* The internet's checksum: 16-bit words, the carries added again after each.
   build: clang -O2
   best: -DCURE=1 -O3 */
#include "fresh.h"
static uint16_t words[N];
KERNEL unsigned kernel(const uint16_t *p, int n)
{
#if CURE == 1
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
#else
    uint32_t sum = 0;
    for (int i = 0; i < n; i++) {
        sum += p[i];
        if (sum > 0xffff)
            sum -= 0xffff;
    }
    return sum;
#endif
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        words[i] = (uint16_t)draw();
}
void run(void)
{
    total = kernel(words, N);
}
RESULT_TOTAL
