/* Binary search for numbers in no order: half of the branches are missed.
   build: gcc -O2
   says x86-64: unpredictable-branch potential branch-free
   remedy x86-64: unpredictable-branch branch-free -DREMEDY
   measured: unpredictable-branch branch-free skylake-x 3.77 */
#include "corpus.h"

enum { ASKED = 20000 };
static int sorted[N], asked[ASKED], found[ASKED];

KERNEL int kernel(const int *sorted, int n, int wanted)
{
#ifdef REMEDY
    const int *base = sorted;
    while (n > 1) {
        int half = n / 2;
        base += (base[half - 1] < wanted) * half;
        n -= half;
    }
    return (int) (base - sorted) + (*base < wanted);
#else
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
#endif
}

void set_up(void)
{
    unsigned state = 1;
    for (int i = 0; i < N; i++)
        sorted[i] = 3 * i;
    for (int i = 0; i < ASKED; i++) {
        state = state * 1664525 + 1013904223;
        asked[i] = (int) (state >> 8) % (3 * N);
    }
}

void run(void)
{
    for (int i = 0; i < ASKED; i++)
        found[i] = kernel(sorted, N, asked[i]);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < ASKED; i++)
        sum += found[i] * (i % 3 + 1);
    return sum;
}
