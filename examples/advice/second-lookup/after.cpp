/* Adds up prices that a table has, with one search for each. */
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

enum { LENGTH = 1000 };

extern "C" __attribute__((noipa)) double kernel(const std::unordered_map<int, double> &prices, const int *asked, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        if (auto found = prices.find(asked[i]); found != prices.end())
            sum += found->second;
    return sum;
}

int main(int count, char **words)
{
    static int asked[LENGTH];
    long repetitions = count > 1 ? atol(words[1]) : 100;
    std::unordered_map<int, double> prices;
    unsigned state = 1;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        prices[i * 3] = i % 7;
    for (int &one : asked)
        one = (int)((state = state * 1664525 + 1013904223) >> 8) % (4 * LENGTH);
    for (long k = 0; k < repetitions; k++)
        sum += kernel(prices, asked, LENGTH);
    printf("%.0f\n", sum);
}
