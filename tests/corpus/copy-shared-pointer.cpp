/* A shared_ptr that is copied in each iteration: its count of owners goes up and down.
   build: g++ -O2
   says: copies potential no-copy
   remedy: copies no-copy -DREMEDY
   measured: copies no-copy cascade-lake 4.58 */
#include <memory>
#include <vector>
#include "corpus.h"

struct particle {
    double mass;
    int kind;
};
static std::vector<std::shared_ptr<particle>> particles;
static double total;

KERNEL double kernel(const std::vector<std::shared_ptr<particle>> &particles)
{
    double sum = 0;
#ifdef REMEDY
    for (const auto &p : particles)
#else
    for (auto p : particles)
#endif
        sum += p->mass;
    return sum;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        particles.push_back(std::make_shared<particle>(particle{i % 7 + 0.5, i}));
}

extern "C" void run(void)
{
    total = kernel(particles);
}

extern "C" double result(void)
{
    return total;
}
