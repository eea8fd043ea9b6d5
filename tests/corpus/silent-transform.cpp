/* std::transform over vectors, vectorised.
   build: g++ -O3
   build x86-64: g++ -O3 -march=sapphirerapids -mprefer-vector-width=512
   silent: * */
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
