/* Euclid's algorithm: each remainder needs the one before.
   build: gcc -O2
   silent: * */
#include "corpus.h"

static double total;

KERNEL unsigned kernel(unsigned a, unsigned b)
{
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void set_up(void)
{
}

void run(void)
{
    total = kernel(1836311903, 1134903170);
}

double result(void)
{
    return total;
}
