/* One map is asked whether it has a key, and another one for a value: nothing is searched twice.
   build: g++ -O2
   silent: second-lookup */
#include <map>
#include "corpus.h"

static std::map<int, double> prices;
static std::map<int, int> amounts;
static double total;

KERNEL double kernel(const std::map<int, double> &prices, const std::map<int, int> &amounts, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (prices.count(i))
            sum += amounts.at(i);
    return sum;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++) {
        amounts[i] = i % 7;
        if (i % 3)
            prices[i] = i;
    }
}

extern "C" void run(void)
{
    total = kernel(prices, amounts, N);
}

extern "C" double result(void)
{
    return total;
}
