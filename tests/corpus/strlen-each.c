/* The length of another string in each iteration: nothing to move out of the loop.
   build: gcc -O2
   silent: call-in-condition */
#include <string.h>

#include "corpus.h"

static char texts[N][16];
static double total;

KERNEL int kernel(char (*s)[16], int n)
{
    int count = 0;
    for (int i = 0; i < n && strlen(s[i]) > (size_t) (i & 3); i++)
        s[i][0] ^= 1, count++;
    return count;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        memset(texts[i], 'a', (size_t) (4 + i % 8));
}

void run(void)
{
    total = kernel(texts, N);
}

double result(void)
{
    return total;
}
