/* How many numbers are at most as large: a binary search in 4096 doubles for random ones.
   build: gcc -O2
   cure: branch-free -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { SIZE = 4096, ASKED = 20000 };
static double sorted[SIZE], asked[ASKED];
static int found[ASKED];
KERNEL int kernel(const double *a, int n, double x)
{
#if CURE == 1
    const double *base = a;
    int length = n;
    while (length > 1) {
        int half = length / 2;
        base += (base[half - 1] <= x) * half;
        length -= half;
    }
    return (int)(base - a) + (*base <= x);
#else
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
#endif
}
void set_up(void)
{
    for (int i = 0; i < SIZE; i++)
        sorted[i] = i;
    for (int i = 0; i < ASKED; i++)
        asked[i] = uniform() * SIZE;
}
void run(void)
{
    for (int i = 0; i < ASKED; i++)
        found[i] = kernel(sorted, SIZE, asked[i]);
}
RESULT(found, ASKED)
