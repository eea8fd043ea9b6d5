/* Two sections of a recursive filter, one behind the other.
   build: gcc -O2 */
#include "fresh.h"
static double in[N], out[N];
KERNEL void kernel(double *R y, const double *R x, int n)
{
    double s1 = 0, s2 = 0, t1 = 0, t2 = 0;
    for (int i = 0; i < n; i++) {
        double v = x[i] * 0.2 + s1;
        s1 = 0.4 * x[i] + 0.37 * v + s2;
        s2 = 0.2 * x[i] - 0.2 * v;
        double w = v * 0.3 + t1;
        t1 = 0.6 * v + 0.3 * w + t2;
        t2 = 0.3 * v - 0.1 * w;
        y[i] = w;
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        in[i] = uniform();
}
void run(void)
{
    kernel(out, in, N);
}
RESULT(out, N)
