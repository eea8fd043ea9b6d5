/* The same after reserve: there is room already.
   build: g++ -O2
   silent: calls */
#include <vector>
#include "corpus.h"

static double numbers[N], total;

KERNEL void kernel(std::vector<double> &out, const double *numbers, long count)
{
    std::vector<double> doubled;
    doubled.reserve(count);
    for (long i = 0; i < count; i++)
        doubled.push_back(numbers[i] * 2);
    out.swap(doubled);
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        numbers[i] = i % 7 + 0.5;
}

extern "C" void run(void)
{
    std::vector<double> out;
    kernel(out, numbers, N);
    total = out[N / 2] + out[N - 1];
}

extern "C" double result(void)
{
    return total;
}
