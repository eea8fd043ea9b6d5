/* The inner loop of insertion sort: it moves elements until the place is found.
   build: gcc -O2
   silent: * */
typedef int number;
#include "arrays.h"

KERNEL void kernel(int *x, int at)
{
    int value = x[at];
    while (at > 0 && x[at - 1] > value) {
        x[at] = x[at - 1];
        at--;
    }
    x[at] = value;
}

void run(void)
{
    for (int i = 0; i < 20; i++)
        z[i] = i * 7 % 20;
    for (int i = 1; i < 20; i++)
        kernel(z, i);
}
