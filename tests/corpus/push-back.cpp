/* push_back for a known number of elements, without reserve() and with a check for each.
   build: g++ -O2
   says: stores potential allocate-once
   remedy: stores allocate-once -DREMEDY
   measured: stores allocate-once golden-cove 2.07
   measured: stores allocate-once neoverse-v1 5.21 */
#include <vector>
#include "corpus.h"

static double total;
static std::vector<int> values;

KERNEL void kernel(std::vector<int> &values, int n)
{
#ifdef REMEDY
    values.resize(n);
    int *start = values.data();
    for (int i = 0; i < n; i++)
        start[i] = i * 3;
#else
    values.clear();
    for (int i = 0; i < n; i++)
        values.push_back(i * 3);
#endif
}

extern "C" void set_up(void)
{
}

extern "C" void run(void)
{
    kernel(values, N);
    total = values[N / 2];
}

extern "C" double result(void)
{
    return total;
}
