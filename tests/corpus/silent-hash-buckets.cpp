/* Look-ups in an unordered_map: the division that finds the bucket is the library's.
   build: g++ -O2
   silent: integer-division */
#include <unordered_map>
#include "corpus.h"

static std::unordered_map<int, int> places;
static int keys[N];
static double total;

KERNEL long kernel(const std::unordered_map<int, int> &places, const int *keys, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        auto found = places.find(keys[i]);
        if (found != places.end())
            sum += found->second;
    }
    return sum;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++) {
        keys[i] = i * 7919 % 1009;
        if (i % 2)
            places[keys[i]] = i;
    }
}

extern "C" void run(void)
{
    total = (double) kernel(places, keys, N);
}

extern "C" double result(void)
{
    return total;
}
