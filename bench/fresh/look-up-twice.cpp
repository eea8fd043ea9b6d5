/* Prices by number: is it there, and then what is it.
   build: g++ -O2
   cure: other -DCURE=1
   cure: hoist -DCURE=1
   cure: cheaper -DCURE=1
   cure: find-once -DCURE=1
   best: -DCURE=1 */
#include <unordered_map>
#include <vector>
#include "fresh.h"
static std::unordered_map<int, double> prices;
static int asked[N];
KERNEL double kernel(const std::unordered_map<int, double> &prices, const int *asked, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
#if CURE == 1
        auto found = prices.find(asked[i]);
        if (found != prices.end())
            sum += found->second;
#else
        if (prices.count(asked[i]))
            sum += prices.at(asked[i]);
#endif
    }
    return sum;
}
void set_up(void)
{
    for (int i = 0; i < 2000; i++)
        prices[(int) (draw() % 10000)] = i;
    for (int i = 0; i < N; i++)
        asked[i] = (int) (draw() % 10000);
}
void run(void) { total = kernel(prices, asked, N); }
RESULT_TOTAL
