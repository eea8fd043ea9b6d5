/* std::min and std::max of floats, to between two limits.
   build: g++ -O2
   cure: branch-free -DCURE=1
   best: -O3 -ffast-math */
#include <algorithm>
#include <vector>
#include "fresh.h"
static std::vector<float> x;
KERNEL void kernel(std::vector<float> &x, float low, float high)
{
    for (float &v : x)
        v = std::min(std::max(v, low), high);
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        x.push_back((float) uniform());
}
void run(void) { kernel(x, 0.2f, 0.8f); }
RESULT(x, N)
