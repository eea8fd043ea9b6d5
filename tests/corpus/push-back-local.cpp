/* A vector that grows in a loop whose iterations are counted.
   build: g++ -O2
   says: calls potential allocate-once
   remedy: calls allocate-once -DREMEDY
   measured: calls allocate-once cascade-lake 2.69 */
#include <vector>
#include "corpus.h"

static double numbers[N], total;

KERNEL void kernel(std::vector<double> &out, const double *numbers, long count)
{
#ifdef REMEDY
    std::vector<double> doubled(count);
    for (long i = 0; i < count; i++)
        doubled[i] = numbers[i] * 2;
#else
    std::vector<double> doubled;
    for (long i = 0; i < count; i++)
        doubled.push_back(numbers[i] * 2);
#endif
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
