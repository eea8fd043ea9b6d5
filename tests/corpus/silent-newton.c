/* Newton's method for one number: each step needs the last, and the division is the method.
   build: gcc -O2
   silent: * */
#include "corpus.h"

static double total;

KERNEL double kernel(double value)
{
    double root = value;
    for (int i = 0; i < 100; i++) {
        double next = 0.5 * (root + value / root);
        if (next == root)
            break;
        root = next;
    }
    return root;
}

void set_up(void)
{
}

void run(void)
{
    total = kernel(1234.5);
}

double result(void)
{
    return total;
}
