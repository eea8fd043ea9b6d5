/* An unsigned index that is multiplied wraps around at 2^32, so each address is computed anew.
   build: gcc -O2
   says: scalar-integer potential index-type
   remedy: scalar-integer index-type -DINDEX=long
   measured: scalar-integer index-type neoverse-v1 1.60 */
#include "corpus.h"
#ifndef INDEX
#define INDEX unsigned
#endif
struct point {
    double x, y, z;
};
static struct point points[N];
static double y[N];

KERNEL void kernel(double *restrict y, const struct point *restrict points, INDEX step, INDEX n)
{
    for (INDEX i = 0; i < n; i++)
        y[i] = points[i * step].x * 0.5 + points[i * step + 1].y + points[i * step + 2].z;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        points[i] = (struct point){i % 7, i % 5, i % 3};
}

void run(void)
{
    kernel(y, points, 3, N / 3 - 1);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
