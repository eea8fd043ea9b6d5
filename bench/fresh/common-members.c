/* How many members two sets of bits have in common, bit by bit.
   build: gcc -O2
   cure: popcount -DCURE=1 -mpopcnt
   cure: other -DCURE=1 -mpopcnt
   cure: table -DCURE=1 -mpopcnt
   best: -DCURE=1 -mpopcnt */
#include "fresh.h"
static uint64_t one[N], two[N];
KERNEL int kernel(const uint64_t *a, const uint64_t *b, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
#if CURE == 1
        count += __builtin_popcountll(a[i] & b[i]);
#else
        for (uint64_t both = a[i] & b[i]; both; both &= both - 1)
            count++;
#endif
    }
    return count;
}
void set_up(void)
{
    for (int i = 0; i < N; i++) {
        one[i] = (uint64_t)draw() << 32 | draw();
        two[i] = (uint64_t)draw() << 32 | draw();
    }
}
void run(void)
{
    total = kernel(one, two, N);
}
RESULT_TOTAL
