/* A sum over the elements whose keys are below a limit. The keys are random, so every second guess of the branch is wrong. GCC
   makes the same branch of keys[i] < limit ? values[i] : 0; a mask has none.
   build: gcc -O2
   says: unpredictable-branch potential branch-free
   remedy: unpredictable-branch branch-free -DREMEDY
   measured: unpredictable-branch branch-free golden-cove 5.06
   measured: unpredictable-branch branch-free neoverse-v1 2.68 */
#include "corpus.h"

enum { KEYS = 16 * N };
static unsigned char keys[KEYS];
static int values[N], turn;
static double total;

KERNEL long kernel(const unsigned char *k, const int *v, int n, int limit)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        sum += v[i] & -(k[i] < limit);
#else
        if (k[i] < limit)
            sum += v[i];
#endif
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
    total = (double) kernel(keys + turn, values, N, 128);
    turn = (turn + 1237) % (KEYS - N);
}

double result(void)
{
    return total;
}
