/* Steps of Collatz' sequence of the first thousand numbers.
   build: gcc -O2
   cure: branch-free -DCURE=1
   cure: table - */
#include "fresh.h"
static int steps[N];
KERNEL int kernel(unsigned long x)
{
    int count = 0;
    while (x != 1) {
#if CURE == 1
        unsigned long up = 3 * x + 1, down = x / 2;
        x = x & 1 ? up : down;
#else
        if (x & 1)
            x = 3 * x + 1;
        else
            x /= 2;
#endif
        count++;
    }
    return count;
}
void set_up(void)
{
}
void run(void)
{
    for (int i = 0; i < N; i++)
        steps[i] = kernel((unsigned long)i + 1);
}
RESULT(steps, N)
