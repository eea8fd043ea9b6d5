/* std::inner_product of doubles.
   build: g++ -O3
   cure: partial-sums -DCURE=1
   best: -ffast-math */
#include <numeric>
#include <vector>
#include "fresh.h"
static std::vector<double> x, w;
KERNEL double kernel(const std::vector<double> &x, const std::vector<double> &w)
{
#if CURE == 1
    double s[8] = {0};
    for (size_t i = 0; i + 8 <= x.size(); i += 8)
        for (size_t l = 0; l < 8; l++)
            s[l] += x[i + l] * w[i + l];
    return s[0] + s[1] + s[2] + s[3] + (s[4] + s[5] + s[6] + s[7]);
#else
    return std::inner_product(x.begin(), x.end(), w.begin(), 0.0);
#endif
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        x.push_back(uniform()), w.push_back(uniform());
}
void run(void) { total = kernel(x, w); }
RESULT_TOTAL
