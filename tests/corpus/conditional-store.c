/* Elements are stored under a condition: the compiler must not store the others, so it does not vectorise without masked stores.
   build: gcc -O3
   says: not-vectorised|unpredictable-branch potential branch-free
   remedy: unpredictable-branch branch-free -DREMEDY -fno-trapping-math
   measured: unpredictable-branch branch-free neoverse-v1 3.94
   measured: unpredictable-branch branch-free golden-cove 6.63
   says: not-vectorised hint branch-free
   remedy: not-vectorised branch-free -DREMEDY -fno-trapping-math
   measured: not-vectorised branch-free neoverse-v1 4.11 */
#include "corpus.h"

enum { LENGTH = 4000 };
static float x[LENGTH], y[LENGTH];

KERNEL void kernel(float *restrict y, const float *restrict x, float limit, int n)
{
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        y[i] = x[i] > limit ? x[i] * 0.5f : y[i];
#else
        if (x[i] > limit)
            y[i] = x[i] * 0.5f;
#endif
}

void set_up(void)
{
    unsigned state = 1;
    for (int i = 0; i < LENGTH; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = (float) (state >> 16 & 255);
    }
}

void run(void)
{
    kernel(y, x, 127.0f, LENGTH);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        sum += y[i] * (float) (i % 3 + 1);
    return sum;
}
