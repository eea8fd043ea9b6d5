/* One item of a knapsack: the better of with it and without, from the largest weight down.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -O3 -DCURE=1 */
#include <string.h>
#include "fresh.h"
static int best[2000], start[2000];
KERNEL void kernel(int *value, int weight, int gain, int capacity)
{
    for (int w = capacity; w >= weight; w--) {
#if CURE == 1
        int with = value[w - weight] + gain;
        value[w] = with > value[w] ? with : value[w];
#else
        if (value[w - weight] + gain > value[w])
            value[w] = value[w - weight] + gain;
#endif
    }
}
void set_up(void)
{
    for (int i = 0; i < 2000; i++)
        start[i] = (int)(draw() % 100);
}
void run(void)
{
    memcpy(best, start, sizeof best);
    for (int k = 0; k < 10; k++)
        kernel(best, 37 + 11 * k, 20 + 7 * k, 1999);
}
RESULT(best, 2000)
