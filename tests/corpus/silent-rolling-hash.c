/* A hash modulo a prime: it is multiplied in every iteration, so its remainder must be taken in every one.
   build: gcc -O2
   silent: integer-division */
#include "corpus.h"

static unsigned char data[N];
static double total;

KERNEL unsigned long kernel(const unsigned char *data, int n)
{
    unsigned long hash = 0;
    for (int i = 0; i < n; i++)
        hash = (hash * 31 + data[i]) % 1000000007;
    return hash;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char) (i * 37);
}

void run(void)
{
    total = (double) kernel(data, N);
}

double result(void)
{
    return total;
}
