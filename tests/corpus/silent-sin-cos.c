/* Waves with constants around the calls: reloading them costs nothing beside sin().
   build: gcc -O2
   silent: loads spills useless-spills stores reduction not-vectorised
   libraries: -lm */
#include <math.h>
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 0.3 * sin(0.01 * i + 0.7) + 1.7 * cos(0.02 * i - 0.1);
}

void run(void)
{
    kernel(y, N);
}
