/* Elements that meet a condition are appended to a list: the branch depends on the data; a store that is overwritten does as well.
   build: gcc -O2
   says: unpredictable-branch potential branch-free
   remedy: unpredictable-branch branch-free -DREMEDY
   measured: unpredictable-branch branch-free golden-cove 5.42
   measured: unpredictable-branch branch-free neoverse-v1 3.88 */
#include "corpus.h"

enum { LENGTH = 16000 };
static unsigned char x[LENGTH], list[LENGTH + 1];
static int count;

KERNEL int kernel(unsigned char *restrict list, const unsigned char *restrict x, int limit, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        list[count] = x[i], count += x[i] >= limit;
#else
        if (x[i] >= limit)
            list[count++] = x[i];
#endif
    return count;
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
    count = kernel(list, x, 128, LENGTH);
}

double result(void)
{
    double sum = count;
    for (int i = 0; i < count; i++)
        sum += list[i] * (i % 3 + 1);
    return sum;
}
