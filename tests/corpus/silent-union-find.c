/* Finding the root of a set, with halved paths.
   build: gcc -O2
   silent: * */
#include "corpus.h"

static int parents[N];
static double total;

KERNEL int kernel(int *parents, int at)
{
    while (parents[at] != at) {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    return at;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        parents[i] = i / 2;
}

void run(void)
{
    total = kernel(parents, N - 1);
}

double result(void)
{
    return total;
}
