/* A power by repeated squares: the bits of the exponent are not what takes the time.
   build: gcc -O2
   silent: bit-by-bit */
#include "corpus.h"

static double total;

KERNEL double kernel(double base, unsigned exponent)
{
    double product = 1;
    while (exponent) {
        if (exponent & 1)
            product *= base;
        base *= base;
        exponent >>= 1;
    }
    return product;
}

void set_up(void) {}

void run(void)
{
    total = 0;
    for (unsigned i = 0; i < N; i++)
        total += kernel(1.0001, i);
}

double result(void)
{
    return total;
}
