/* Two sorted arrays become one.
   build: clang -O2
   cure: branch-free -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { COUNT = 10000 };
static int one[COUNT + 1], two[COUNT + 1], both[2 * COUNT];
KERNEL void kernel(int *R to, const int *R a, const int *R b, int n)
{
    for (int i = 0; i < n; i++) {
#if CURE == 1
        int x = *a, y = *b, first = x <= y;
        to[i] = first ? x : y;
        a += first;
        b += !first;
#else
        if (*a <= *b)
            to[i] = *a++;
        else
            to[i] = *b++;
#endif
    }
}
void set_up(void)
{
    for (int i = 0, a = 0, b = 0; i < COUNT; i++) {
        one[i] = a += (int)(draw() % 16);
        two[i] = b += (int)(draw() % 16);
    }
    one[COUNT] = two[COUNT] = 1 << 30;
}
void run(void)
{
    kernel(both, one, two, 2 * COUNT);
}
RESULT(both, 2 * COUNT)
