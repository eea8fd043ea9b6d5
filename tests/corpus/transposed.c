/* A transposition has one matrix in the order of memory and one across it, whichever loop is the innermost; and rows of 64
   bytes that are taken column by column stay in the L1 cache.
   build: gcc -O2
   silent: loop-order */
#include "corpus.h"

enum { SIZE = 200, NARROW = 8 };
static double matrix[SIZE][SIZE], turned[SIZE][SIZE], table[SIZE][NARROW], sums[SIZE];

KERNEL void kernel_transpose(double (*restrict to)[SIZE], const double (*restrict from)[SIZE])
{
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < SIZE; i++)
            to[j][i] = from[i][j];
}

KERNEL void kernel_narrow(double *restrict to, const double (*restrict from)[NARROW], int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < SIZE; i++)
            to[i] = to[i] * 0.5 + from[i][j];
}

void set_up(void)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            table[i][j % NARROW] = matrix[i][j] = (i + 2 * j) % 17;
}

void run(void)
{
    kernel_transpose(turned, matrix);
    kernel_narrow(sums, table, NARROW);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += turned[i][i % 5] * (i % 3 + 1) + sums[i];
    return sum;
}
