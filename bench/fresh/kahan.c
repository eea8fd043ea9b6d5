/* A sum with what was lost in rounding.
   build: gcc -O2 */
#include "fresh.h"
static double x[N];
KERNEL double kernel(const double *x, int n)
{
    double sum = 0, lost = 0;
    for (int i = 0; i < n; i++) {
        double y = x[i] - lost, t = sum + y;
        lost = t - sum - y;
        sum = t;
    }
    return sum;
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = uniform();
}
void run(void)
{
    total = kernel(x, N);
}
RESULT_TOTAL
