/* Collatz' sequence: a number is halved or tripled, and no table has what its bits do.
   build: gcc -O2
   silent: bit-by-bit */
#include "corpus.h"

static int steps[N];

KERNEL int kernel(unsigned long x)
{
    int count = 0;
    while (x != 1) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x /= 2;
        count++;
    }
    return count;
}

void set_up(void)
{
}

void run(void)
{
    for (int i = 0; i < N; i++)
        steps[i] = kernel((unsigned long) i + 1);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += steps[i] * (i % 3 + 1);
    return sum;
}
