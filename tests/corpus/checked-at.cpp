/* at() compares every index with the size, which also keeps the loop from being vectorised.
   build: g++ -O3
   says: checks potential hoist
   remedy: checks hoist -DREMEDY
   measured: checks hoist neoverse-v1 8.91 */
#include <vector>
#include "corpus.h"

static std::vector<float> values(N), others(N);

KERNEL void kernel(std::vector<float> &values, const std::vector<float> &others, int n)
{
#ifdef REMEDY
    if ((std::size_t)n > values.size() || (std::size_t)n > others.size())
        return;
    float *y = values.data();
    const float *x = others.data();
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5f + x[i];
#else
    for (int i = 0; i < n; i++)
        values.at(i) = values.at(i) * 0.5f + others.at(i);
#endif
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        others[i] = i % 7;
}

void run(void)
{
    kernel(values, others, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += values[i] * (i % 3 + 1);
    return sum;
}
