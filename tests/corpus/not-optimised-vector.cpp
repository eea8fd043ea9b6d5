/* A vector with operator[] without -O: each subscript is a call.
   build: g++
   says: flag-optimisation potential optimise
   remedy: flag-optimisation optimise -O2
   measured: flag-optimisation optimise golden-cove 13.57
   measured: flag-optimisation optimise neoverse-v1 10.24 */
#include <vector>
#include "corpus.h"

static std::vector<double> values(N);

KERNEL void kernel(std::vector<double> &values)
{
    for (std::size_t i = 0; i < values.size(); i++)
        values[i] = values[i] * 0.5 + 1;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        values[i] = i % 7;
}

extern "C" void run(void)
{
    kernel(values);
}

extern "C" double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += values[i] * (i % 3 + 1);
    return sum;
}
