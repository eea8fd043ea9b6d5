/* A column times a row, subtracted from a matrix.
   build: gcc -O2
   best: -O3 */
#include "fresh.h"
enum { SIZE = 50 };
static float a[SIZE * SIZE], u[SIZE], v[SIZE];
KERNEL void kernel(float *R a, const float *R u, const float *R v, int n)
{
    for (int i = 0; i < n; i++) {
        float f = u[i];
        SIMD_LOOP
        for (int j = 0; j < n; j++)
            a[i * n + j] -= f * v[j];
    }
}
void set_up(void)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        a[i] = (float)uniform();
    for (int i = 0; i < SIZE; i++)
        u[i] = (float)uniform() * 1e-6f, v[i] = (float)uniform();
}
void run(void)
{
    kernel(a, u, v, SIZE);
}
RESULT_TOTAL
