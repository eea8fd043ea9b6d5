/* Work space is allocated and freed for each row.
   build: gcc -O2
   says: calls potential allocate-once
   remedy: calls allocate-once -DREMEDY
   measured: calls allocate-once golden-cove 9.90
   measured: calls allocate-once neoverse-v1 5.77 */
#include <stdlib.h>
#include "corpus.h"

enum { WIDTH = 4 };
static double x[N];

KERNEL void kernel(double *x, int rows)
{
#ifdef REMEDY
    double *copy = malloc(WIDTH * sizeof *copy);
#endif
    for (int row = 0; row < rows; row++) {
#ifndef REMEDY
        double *copy = malloc(WIDTH * sizeof *copy);
#endif
        double *at = x + row * WIDTH;
        copy[0] = at[3], copy[1] = at[2], copy[2] = at[1], copy[3] = at[0];
        asm volatile("" : : "r"(copy) : "memory");
        at[0] = copy[0], at[1] = copy[1], at[2] = copy[2], at[3] = copy[3];
#ifndef REMEDY
        free(copy);
#endif
    }
#ifdef REMEDY
    free(copy);
#endif
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i % 7;
}

void run(void)
{
    kernel(x, N / WIDTH);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * (i % 3 + 1);
    return sum;
}
