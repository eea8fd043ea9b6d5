/* std::vector<bool> packs single bits: shifts and masks for each of them.
   build: g++ -O3
   says: vector-bool potential element-type
   remedy: vector-bool element-type -DREMEDY
   measured: vector-bool element-type golden-cove 11.87
   measured: vector-bool element-type neoverse-v1 3.63 */
#include <vector>
#include "corpus.h"

#ifdef REMEDY
typedef std::vector<char> Flags;
#else
typedef std::vector<bool> Flags;
#endif
static Flags flags(N);
static double total;

KERNEL int kernel(const Flags &flags, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += flags[i];
    return count;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        flags[i] = i % 3 == 0;
}

extern "C" void run(void)
{
    total = kernel(flags, N);
}

extern "C" double result(void)
{
    return total;
}
