/* A sum with a check that never fails: the branch on data leads to abort().
   build: gcc -O2
   silent: unpredictable-branch */
#include <stdlib.h>

#include "corpus.h"

enum { KEYS = 16 * N };
static unsigned char keys[KEYS];
static int values[N], turn;
static double total;

KERNEL long kernel(const unsigned char *k, const int *v, int n, int limit)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        if (k[i] >= limit)
            abort();
        sum += v[i] * k[i];
    }
    return sum;
}

void set_up(void)
{
    unsigned random = 1;
    for (int i = 0; i < N; i++)
        values[i] = i;
    for (int i = 0; i < KEYS; i++)
        keys[i] = (unsigned char) ((random = random * 1664525 + 1013904223) >> 24);
}

/* Other keys in each run, so that no predictor learns them. */
void run(void)
{
    total = (double) kernel(keys + turn, values, N, 256);
    turn = (turn + 1237) % (KEYS - N);
}

double result(void)
{
    return total;
}
