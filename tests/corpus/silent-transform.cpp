/* std::transform over vectors, vectorised. Unrolling it brings 1.06 x, which is less than the model of the Neoverse V1 says.
   build: g++ -O3
   build x86-64: g++ -O3 -march=sapphirerapids -mprefer-vector-width=512
   silent: flag-unroll not-vectorised partly-vectorised part-of-vector reduction loads stores calls missed-fma front-end */
#include <algorithm>
#include <vector>
#include "corpus.h"

static std::vector<float> x(N), y(N);

KERNEL void kernel(std::vector<float> &y, const std::vector<float> &x)
{
    std::transform(x.begin(), x.end(), y.begin(), [](float value) { return value * 0.5f + 1; });
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = (float) (i % 7);
}

extern "C" void run(void)
{
    kernel(y, x);
}

extern "C" double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (float) (i % 3 + 1);
    return sum;
}
