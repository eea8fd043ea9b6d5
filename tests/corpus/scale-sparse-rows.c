/* Rows of a sparse matrix are scaled: five elements each, which the code does not show. Vectors brought nothing.
   build: gcc -O2
   silent: reduction stores
   without: not-vectorised associative-math */
#include "corpus.h"

enum { ROWS = 200, PER_ROW = 5 };
static double values[ROWS * PER_ROW], scales[ROWS];
static int starts[ROWS + 1];

void set_up(void)
{
    for (int i = 0; i < ROWS * PER_ROW; i++)
        values[i] = i % 7 + 1;
    for (int i = 0; i < ROWS; i++)
        scales[i] = i % 2 ? 1.25 : 0.8;
    for (int i = 0; i <= ROWS; i++)
        starts[i] = i * PER_ROW;
}

KERNEL void kernel(double *values, const int *starts, const double *scales, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = starts[i]; k < starts[i + 1]; k++)
            values[k] *= scales[i];
}

void run(void)
{
    set_up();
    kernel(values, starts, scales, ROWS);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS * PER_ROW; i++)
        sum += values[i] * (i % 3 + 1);
    return sum;
}
