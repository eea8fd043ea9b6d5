/* Charges of particles, added to the two points of a grid that they are between.
   build: gcc -O2
   cure: partial-sums -DCURE=1 */
#include <string.h>
#include "fresh.h"
enum { CELLS = 500, PARTICLES = 2000 };
static double place[PARTICLES], grid[CELLS + 1];
KERNEL void kernel(double *R rho, const double *R x, int n)
{
#if CURE == 1
    static double more[2][CELLS + 1];
    memset(more, 0, sizeof more);
    for (int i = 0; i < n; i += 2) {
        int k = (int)x[i], l = (int)x[i + 1];
        double f = x[i] - k, g = x[i + 1] - l;
        more[0][k] += 1 - f;
        more[0][k + 1] += f;
        more[1][l] += 1 - g;
        more[1][l + 1] += g;
    }
    for (int i = 0; i <= CELLS; i++)
        rho[i] += more[0][i] + more[1][i];
#else
    for (int i = 0; i < n; i++) {
        int k = (int)x[i];
        double f = x[i] - k;
        rho[k] += 1 - f;
        rho[k + 1] += f;
    }
#endif
}
void set_up(void)
{
    for (int i = 0; i < PARTICLES; i++)
        place[i] = uniform() * CELLS;
}
void run(void)
{
    memset(grid, 0, sizeof grid);
    kernel(grid, place, PARTICLES);
}
RESULT(grid, CELLS + 1)
