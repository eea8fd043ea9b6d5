/* The coordinates of points, in no order, from three arrays beyond the caches: one structure has them in one cache line.
   build: gcc -O2
   says: indirect hint layout
   remedy: indirect layout -DREMEDY
   measured: indirect layout neoverse-v1 2.65 */
#include <stdlib.h>
#include "corpus.h"

enum { POINTS = 1 << 20, TAKEN = 20000 };
struct point {
    double x, y, z, mass;
};
static double *x, *y, *z, *mass, sums[TAKEN];
static struct point *points;
static int order[TAKEN];

KERNEL void kernel(double *restrict to, const int *restrict order, int n)
{
    for (int i = 0; i < n; i++) {
        int k = order[i];
#ifdef REMEDY
        to[i] = points[k].mass * (points[k].x * points[k].x + points[k].y * points[k].y + points[k].z * points[k].z);
#else
        to[i] = mass[k] * (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
#endif
    }
}

void set_up(void)
{
    unsigned state = 1;
    x = malloc(POINTS * sizeof *x);
    y = malloc(POINTS * sizeof *y);
    z = malloc(POINTS * sizeof *z);
    mass = malloc(POINTS * sizeof *mass);
    points = malloc(POINTS * sizeof *points);
    for (int i = 0; i < POINTS; i++) {
        x[i] = i % 7, y[i] = i % 5, z[i] = i % 3, mass[i] = i % 11;
        points[i] = (struct point){x[i], y[i], z[i], mass[i]};
    }
    for (int i = 0; i < TAKEN; i++) {
        state = state * 1664525 + 1013904223;
        order[i] = (int) (state >> 12);
    }
}

void run(void)
{
    kernel(sums, order, TAKEN);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < TAKEN; i++)
        sum += sums[i] * (i % 3 + 1);
    return sum;
}
