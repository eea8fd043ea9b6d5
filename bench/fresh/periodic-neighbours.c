/* The second difference on a ring: the neighbour's number by a remainder.
   build: gcc -O2
   cure: divide-less -DCURE=1
   cure: split -DCURE=1
   cure: subscript -DCURE=1
   best: -DCURE=1 -O3 */
#include "fresh.h"
static double x[N], y[N];
KERNEL void kernel(double *R y, const double *R x, int n)
{
    for (int i = 0; i < n; i++) {
#if CURE == 1
        int left = i ? i - 1 : n - 1, right = i + 1 < n ? i + 1 : 0;
        y[i] = x[left] - 2 * x[i] + x[right];
#else
        y[i] = x[(i + n - 1) % n] - 2 * x[i] + x[(i + 1) % n];
#endif
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = uniform();
}
void run(void)
{
    kernel(y, x, N);
}
RESULT(y, N)
