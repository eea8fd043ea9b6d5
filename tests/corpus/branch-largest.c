/* The largest value and where it is. The branch on data is taken less and less often, so it is guessed well.
   build: gcc -O2
   silent: unpredictable-branch */
#include "corpus.h"

enum { KEYS = 16 * N };
static unsigned char keys[KEYS];
static int values[N], turn;
static double total;

KERNEL long kernel(const unsigned char *k, const int *v, int n, int limit)
{
    long at = 0;
    for (int i = 0; i < n; i++)
        if (k[i] > limit) {
            limit = k[i];
            at = v[i];
        }
    return at;
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
    total = (double) kernel(keys + turn, values, N, -1);
    turn = (turn + 1237) % (KEYS - N);
}

double result(void)
{
    return total;
}
