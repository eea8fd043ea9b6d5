/* Sums of the columns of a vector of vectors.
   build: g++ -O2
   cure: exchange -DCURE=1
   cure: layout -DCURE=1
   best: -DCURE=1 -O3 */
#include <vector>
#include "fresh.h"
enum { SIZE = 300 };
static std::vector<std::vector<double>> rows;
static std::vector<double> sums;
KERNEL void kernel(std::vector<double> &sums, const std::vector<std::vector<double>> &rows)
{
#if CURE == 1
    for (std::size_t j = 0; j < sums.size(); j++)
        sums[j] = 0;
    for (std::size_t i = 0; i < rows.size(); i++) {
        const double *row = rows[i].data();
        for (std::size_t j = 0; j < sums.size(); j++)
            sums[j] += row[j];
    }
#else
    for (std::size_t j = 0; j < sums.size(); j++) {
        double sum = 0;
        for (std::size_t i = 0; i < rows.size(); i++)
            sum += rows[i][j];
        sums[j] = sum;
    }
#endif
}
void set_up(void)
{
    rows.assign(SIZE, std::vector<double>(SIZE));
    for (auto &row : rows)
        for (auto &x : row)
            x = uniform();
    sums.resize(SIZE);
}
void run(void) { kernel(sums, rows); }
RESULT(sums, SIZE)
