/* With -Os, GCC copies even a short structure by rep movs: microcode, which takes long to start.
   build x86-64: gcc -Os
   says: front-end potential optimise copy
   without: front-end other-option intrinsics
   remedy: front-end optimise -O2
   measured: front-end optimise golden-cove 15.25
   remedy: front-end copy -DREMEDY
   measured: front-end copy golden-cove 10.63 */
#include "corpus.h"

struct particle {
    double x, y, z, vx, vy, vz;
};
static struct particle from[N / 4], to[N / 4];
static int order[N / 4];

KERNEL void kernel(int n, const struct particle *restrict old, const int *restrict place, struct particle *restrict new)
{
    for (int i = 0; i < n; i++) {
#ifdef REMEDY
        const struct particle *one = &old[place[i]];
        new[i].x = one->x;
        new[i].y = one->y;
        new[i].z = one->z;
        new[i].vx = one->vx;
        new[i].vy = one->vy;
        new[i].vz = one->vz;
#else
        new[i] = old[place[i]];
#endif
    }
}

void set_up(void)
{
    for (int i = 0; i < N / 4; i++) {
        order[i] = i * 7 % (N / 4);
        from[i] = (struct particle){i, i + 1, i % 3, i % 5, i % 7, i % 11};
    }
}

void run(void)
{
    kernel(N / 4, from, order, to);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N / 4; i++)
        sum += to[i].x * (i % 3 + 1) + to[i].y + to[i].z * 2 + to[i].vx * 3 + to[i].vy * 4 + to[i].vz * 5;
    return sum;
}
