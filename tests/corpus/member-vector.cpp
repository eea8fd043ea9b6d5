/* A vector of the object itself is written in the loop: the elements may overlap the object, so begin, end and factor are
   loaded in every iteration.
   build: g++ -O3
   says: double-indirection|not-vectorised|loads potential hoist
   not yet: it is not found
   remedy: loads hoist -DREMEDY
   measured: loads hoist golden-cove 11.73
   measured: loads hoist neoverse-v1 30.81 */
#include <cstddef>
#include <vector>
#include "corpus.h"

struct Filter {
    std::vector<unsigned char> values;
    unsigned char factor = 3;
    void kernel();
};

KERNEL void Filter::kernel()
{
#ifdef REMEDY
    unsigned char *start = values.data(), local = factor;
    std::size_t count = values.size();
    for (std::size_t i = 0; i < count; i++)
        start[i] = (unsigned char) (start[i] * local);
#else
    for (std::size_t i = 0; i < values.size(); i++)
        values[i] = (unsigned char) (values[i] * factor);
#endif
}

static Filter filter;

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        filter.values.push_back((unsigned char) i);
}

extern "C" void run(void)
{
    filter.kernel();
}

extern "C" double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double) filter.values[i] * (i % 3 + 1);
    return sum;
}
