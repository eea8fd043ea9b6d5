/* A sparse matrix times a vector: a few elements in each row, at places that the data decides. Measured with partial sums,
   -ffast-math and unrolling: nothing helps.
   build: gcc -O3
   silent: not-vectorised partly-vectorised indirect spills loads
   silent: flag-unroll */
#include "corpus.h"

enum { ROWS = 200, PER_ROW = 5 };
static double values[ROWS * PER_ROW], x[ROWS], y[ROWS];
static int columns[ROWS * PER_ROW], starts[ROWS + 1];

KERNEL void kernel(double *restrict y, const double *restrict x, const double *restrict values, const int *restrict columns,
                   const int *restrict starts, int rows)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = starts[i]; k < starts[i + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[i] = sum;
    }
}

void set_up(void)
{
    for (int k = 0; k < ROWS * PER_ROW; k++) {
        values[k] = k % 7;
        columns[k] = k * 37 % ROWS;
    }
    for (int i = 0; i <= ROWS; i++)
        starts[i] = i * PER_ROW;
    for (int i = 0; i < ROWS; i++)
        x[i] = i % 5;
}

void run(void)
{
    kernel(y, x, values, columns, starts, ROWS);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += y[i] * (i % 3 + 1);
    return sum;
}
