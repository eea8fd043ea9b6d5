/* A std::function is called for each element: an indirect call that cannot be inlined.
   build: g++ -O2
   says: indirect-call|calls potential direct-call
   remedy: indirect-call direct-call -DREMEDY
   measured: indirect-call direct-call golden-cove 3.83
   measured: indirect-call direct-call neoverse-v1 2.48 */
#include <functional>
#include "corpus.h"

static double x[N], y[N];

#ifdef REMEDY
template <typename Function> KERNEL void kernel(double *y, const double *x, int n, Function function)
#else
KERNEL void kernel(double *y, const double *x, int n, const std::function<double(double)> &function)
#endif
{
    for (int i = 0; i < n; i++)
        y[i] = function(x[i]);
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i % 7;
}

extern "C" void run(void)
{
    kernel(y, x, N, [](double value) { return value * 0.5 + 1; });
}

extern "C" double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
