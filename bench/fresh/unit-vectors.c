/* Vectors in three dimensions, divided by their lengths.
   build: clang -O3
   libraries: -lm
   cure: divide-less -DCURE=1
   best: -ffast-math */
#include <math.h>
#include "fresh.h"
struct vector {
    float x, y, z;
};
static struct vector in[N], out[N];
KERNEL void kernel(struct vector *R to, const struct vector *R v, int n)
{
    for (int i = 0; i < n; i++) {
        float length = sqrtf(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
#if CURE == 1
        float f = 1 / length;
        to[i].x = v[i].x * f;
        to[i].y = v[i].y * f;
        to[i].z = v[i].z * f;
#else
        to[i].x = v[i].x / length;
        to[i].y = v[i].y / length;
        to[i].z = v[i].z / length;
#endif
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        in[i] = (struct vector){(float)uniform() + 0.1f, (float)uniform(), (float)uniform()};
}
void run(void)
{
    kernel(out, in, N);
}
RESULT(&out[0].x, 3 * N)
