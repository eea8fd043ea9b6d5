/* Elements below a limit are packed into another array; which ones is random. Stored always, with an index that moves on only if
   the condition holds, there is no branch.
   build: gcc -O2
   says: unpredictable-branch potential branch-free
   remedy: unpredictable-branch branch-free -DREMEDY
   measured: unpredictable-branch branch-free golden-cove 6.50
   measured: unpredictable-branch branch-free neoverse-v1 4.03 */
#include "corpus.h"

enum { KEYS = 16 * N };
static unsigned char keys[KEYS];
static int values[N + 1], turn;
static double total;

KERNEL long kernel(const unsigned char *k, int *v, int n, int limit)
{
    long at = 0;
    for (int i = 0; i < n; i++) {
#ifdef REMEDY
        v[at] = k[i];
        at += k[i] < limit;
#else
        if (k[i] < limit)
            v[at++] = k[i];
#endif
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
    total = (double) kernel(keys + turn, values, N, 128);
    turn = (turn + 1237) % (KEYS - N);
}

double result(void)
{
    return total;
}
