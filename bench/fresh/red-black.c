/* The red points of a grid, each from its four neighbours.
   build: gcc -O2 */
#include "fresh.h"
enum { SIZE = 50 };
static double grid[SIZE][SIZE];
KERNEL void kernel(double (*a)[SIZE], double w)
{
    for (int i = 1; i < SIZE - 1; i++)
        for (int j = 1 + i % 2; j < SIZE - 1; j += 2)
            a[i][j] += w * (0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) - a[i][j]);
}
void set_up(void)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        ((double *)grid)[i] = uniform();
}
void run(void)
{
    kernel(grid, 0.9);
}
RESULT_TOTAL
