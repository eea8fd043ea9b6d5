/* std::accumulate over doubles: the loop stands in the library's header, and the order of additions is strict.
   build: g++ -O3
   says: reduction|not-vectorised potential associative-math
   remedy: not-vectorised associative-math -ffast-math
   measured: not-vectorised associative-math golden-cove 2.21
   measured: not-vectorised associative-math neoverse-v1 2.04 */
#include <numeric>
#include <vector>
#include "corpus.h"

static std::vector<double> values(N);
static double total;

KERNEL double kernel(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        values[i] = i % 7;
}

extern "C" void run(void)
{
    total = kernel(values);
}

extern "C" double result(void)
{
    return total;
}
