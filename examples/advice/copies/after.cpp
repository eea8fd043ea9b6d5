/* Adds up what shared pointers point to, without copies. */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

enum { LENGTH = 1000 };

extern "C" __attribute__((noipa)) double kernel(const std::vector<std::shared_ptr<double>> &values)
{
    double sum = 0;
    for (const auto &p : values)
        sum += *p;
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    std::vector<std::shared_ptr<double>> values;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        values.push_back(std::make_shared<double>(i % 7));
    for (long k = 0; k < repetitions; k++)
        sum += kernel(values);
    printf("%.0f\n", sum);
}
