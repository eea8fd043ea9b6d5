/* std::accumulate with 0 instead of 0.0: the sum is an int, converted to double and back for each element.
   build: g++ -O2
   says: conversions|reduction potential precision
   remedy: reduction precision -DREMEDY
   measured: reduction precision golden-cove 7.80
   measured: reduction precision neoverse-v1 4.57 */
#include <numeric>
#include <vector>
#include "corpus.h"

static std::vector<double> values(N);
static double total;
#ifdef REMEDY
static const double zero = 0;
#else
static const int zero = 0;
#endif

KERNEL double kernel(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), zero);
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
