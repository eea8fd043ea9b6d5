/* Half of the random elements are added: each second branch is mispredicted.
   build: gcc -O2 -fno-if-conversion -fno-if-conversion2
   says: unpredictable-branch potential branch-free
   remedy: unpredictable-branch branch-free -DREMEDY
   measured: unpredictable-branch branch-free golden-cove 6.00
   measured: unpredictable-branch branch-free neoverse-v1 3.90 */
#include "corpus.h"

enum { LENGTH = 32000 };
static unsigned char x[LENGTH];
static double total;

KERNEL long kernel(const unsigned char *x, int limit, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        sum += x[i] & -(x[i] >= limit);
#else
        if (x[i] >= limit)
            sum += x[i];
#endif
    return sum;
}

void set_up(void)
{
    unsigned state = 1;
    for (int i = 0; i < LENGTH; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = (unsigned char) (state >> 16);
    }
}

void run(void)
{
    total = (double) kernel(x, 128, LENGTH);
}

double result(void)
{
    return total;
}
