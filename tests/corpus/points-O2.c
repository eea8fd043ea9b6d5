/* At -O2 GCC makes a short vector of two of the three neighbouring statements and leaves the third scalar. At -O3, or where the
   iterations are declared independent, it vectorises iterations. An array for each number
   brings nothing beyond that (0.9 x), since instructions of AArch64 load and sort three arrays at once.
   build: gcc -O2
   says aarch64: partly-vectorised potential optimise simd
   remedy aarch64: partly-vectorised optimise -O3
   measured: partly-vectorised optimise neoverse-v1 2.96
   remedy aarch64: partly-vectorised simd -fopenmp-simd
   measured: partly-vectorised simd neoverse-v1 2.95
   not yet: the loop itself is predicted well (2.14 cycles, 2.28 measured), but its vectors at 1.74 cycles, where the gain says 0.8 */
#include "corpus.h"

struct point {
    float x, y, z;
};
static struct point from[N], to[N];

KERNEL void kernel(struct point *to, const struct point *from, float a, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        to[i].x = to[i].x * 0.5f + a * from[i].x;
        to[i].y = to[i].y * 0.5f + a * from[i].y;
        to[i].z = to[i].z * 0.5f + a * from[i].z;
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        from[i] = (struct point){(float) (i % 7), (float) (i % 5), (float) (i % 3)};
}

void run(void)
{
    kernel(to, from, 0.5f, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += to[i].x * (float) (i % 3 + 1) + to[i].y + to[i].z;
    return sum;
}
