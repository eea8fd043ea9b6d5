/* Softmax of floats.
   build: gcc -O2
   libraries: -lm
   cure: vector-functions -O3 -ffast-math
   best: -O3 -ffast-math */
#include <math.h>
#include "fresh.h"
static float x[N], y[N];
KERNEL void kernel(float *R y, const float *R x, int n)
{
    float largest = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > largest)
            largest = x[i];
    for (int i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - largest);
    for (int i = 0; i < n; i++)
        y[i] /= sum;
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = (float)uniform() * 4;
}
void run(void)
{
    kernel(y, x, N);
}
RESULT(y, N)
