/* Sums at places that an index array selects, each place once in a while: the updates hardly ever meet, so several copies of
   the array bring nothing but more memory.
   build: gcc -O2
   silent: histogram stores store-forwarding not-vectorised reduction */
#include "corpus.h"

static double y[N], w[N];
static int places[N];

KERNEL void kernel(double *restrict y, const int *restrict places, const double *restrict w, int n)
{
    for (int i = 0; i < n; i++)
        y[places[i]] += w[i];
}

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        places[i] = i * 37 % N;
        w[i] = i % 7;
    }
}

void run(void)
{
    for (int i = 0; i < N; i++)
        y[i] = 0;
    kernel(y, places, w, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
