/* How many points are in a circle, from a vector of pairs.
   build: g++ -O3
   cure: layout -DCURE=1
   best: -march=native */
#include <utility>
#include <vector>
#include "fresh.h"
static std::vector<std::pair<double, double>> points;
KERNEL int kernel(const std::vector<std::pair<double, double>> &points, double radius)
{
    int inside = 0;
    for (const auto &p : points)
        if (p.first * p.first + p.second * p.second < radius * radius)
            inside++;
    return inside;
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        points.emplace_back(uniform(), uniform());
}
void run(void) { total = kernel(points, 0.7); }
RESULT_TOTAL
