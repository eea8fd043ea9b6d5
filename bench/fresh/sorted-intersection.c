/* How many numbers two sorted arrays have in common.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { COUNT = 10000 };
static int one[COUNT], two[COUNT];
KERNEL int kernel(const int *a, const int *b, int n, int m)
{
    int i = 0, j = 0, count = 0;
    while (i < n && j < m) {
#if CURE == 1
        int x = a[i], y = b[j];
        count += x == y;
        i += x <= y;
        j += y <= x;
#else
        if (a[i] < b[j])
            i++;
        else if (a[i] > b[j])
            j++;
        else
            count++, i++, j++;
#endif
    }
    return count;
}
void set_up(void)
{
    for (int i = 0, a = 0, b = 0; i < COUNT; i++) {
        one[i] = a += 1 + (int)(draw() % 8);
        two[i] = b += 1 + (int)(draw() % 8);
    }
}
void run(void)
{
    total = kernel(one, two, COUNT, COUNT);
}
RESULT_TOTAL
