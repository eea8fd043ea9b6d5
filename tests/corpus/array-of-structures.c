/* One member of seven: neighbouring elements are 56 bytes apart, so that only scalar loads fit.
   build: gcc -O3
   says: array-of-structures potential layout
   remedy: array-of-structures layout -DREMEDY
   measured: array-of-structures layout golden-cove 3.73
   measured: array-of-structures layout neoverse-v1 4.03 */
#include "corpus.h"

#ifdef REMEDY
static struct { float mass[N], x[N], y[N], z[N], u[N], v[N], w[N]; } points;
#define AT(i, member) points.member[i]
#else
static struct { float mass, x, y, z, u, v, w; } points[N];
#define AT(i, member) points[i].member
#endif

KERNEL void kernel(float step, int n)
{
    for (int i = 0; i < n; i++)
        AT(i, x) = AT(i, x) * 0.5f + AT(i, u) * step;
}

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        AT(i, x) = (float) (i % 7);
        AT(i, u) = (float) (i % 5);
    }
}

void run(void)
{
    kernel(0.125f, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += AT(i, x) * (i % 3 + 1);
    return sum;
}
