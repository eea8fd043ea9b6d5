/* Sums of 16-bit numbers that saturate, as in speech codecs. The branch is taken if a sum is out of range. That hardly ever
   happens, so the branch is guessed well, and a select in its place is slower.
   build: gcc -O2
   silent: unpredictable-branch */
#include <stdint.h>

#include "corpus.h"

static int16_t x[N], y[N], z[N];

KERNEL void kernel(int16_t *z, const int16_t *x, const int16_t *y, int n)
{
    for (int i = 0; i < n; i++) {
        int32_t sum = x[i] + y[i];
        z[i] = (int16_t) ((uint32_t) sum + 32768 > 65535 ? (sum > 0 ? 32767 : -32768) : sum);
    }
}

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = (int16_t) (i * 37 % 8000 - 4000);
        y[i] = (int16_t) (i * 91 % 9000 - 4500);
    }
}

void run(void)
{
    kernel(z, x, y, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += z[i];
    return sum;
}
