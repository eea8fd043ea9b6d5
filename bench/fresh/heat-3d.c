/* Seven points of a grid in three dimensions.
   build: gcc -O2
   best: -O3 */
#include "fresh.h"
enum { SIZE = 12 };
static double old[SIZE][SIZE][SIZE], now[SIZE][SIZE][SIZE];
KERNEL void kernel(double (*R b)[SIZE][SIZE], double (*R a)[SIZE][SIZE])
{
    for (int i = 1; i < SIZE - 1; i++)
        for (int j = 1; j < SIZE - 1; j++) {
            SIMD_LOOP
            for (int k = 1; k < SIZE - 1; k++)
                b[i][j][k] = 0.4 * a[i][j][k] + 0.1 * (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] +
                                                       a[i][j + 1][k] + a[i][j][k - 1] + a[i][j][k + 1]);
        }
}
void set_up(void)
{
    for (int i = 0; i < SIZE * SIZE * SIZE; i++)
        ((double *)old)[i] = uniform();
}
void run(void)
{
    kernel(now, old);
}
RESULT((double *)now, SIZE *SIZE *SIZE)
