/* Copies of shared pointers that go into another array: they are needed.
   build: g++ -O2
   silent: copies atomics */
#include <memory>
#include <vector>
#include "corpus.h"

static std::vector<std::shared_ptr<double>> from, to;

KERNEL void kernel(std::vector<std::shared_ptr<double>> &to, const std::vector<std::shared_ptr<double>> &from)
{
    for (const auto &p : from)
        if (*p > 3)
            to.push_back(p);
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        from.push_back(std::make_shared<double>(i % 7));
}

extern "C" void run(void)
{
    to.clear();
    kernel(to, from);
}

extern "C" double result(void)
{
    return (double) to.size();
}
