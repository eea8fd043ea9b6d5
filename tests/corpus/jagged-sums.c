/* Sums of the rows of a sparse matrix that are long: the rows are contiguous, so that vectors help as in a plain sum.
   build: gcc -O3
   says: not-vectorised|partly-vectorised potential associative-math
   remedy: not-vectorised associative-math -fassociative-math -fno-signed-zeros -fno-trapping-math
   measured: not-vectorised associative-math neoverse-v1 2.23 */
#include "corpus.h"

enum { ROWS = 10 };
static double values[N], sums[ROWS];
static int starts[ROWS + 1];

KERNEL void kernel(double *restrict sums, const double *restrict values, const int *restrict starts, int rows)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = starts[i]; k < starts[i + 1]; k++)
            sum += values[k] * values[k];
        sums[i] = sum;
    }
}

void set_up(void)
{
    for (int i = 0; i <= ROWS; i++)
        starts[i] = i * N / ROWS;
    for (int i = 0; i < N; i++)
        values[i] = i % 7;
}

void run(void)
{
    kernel(sums, values, starts, ROWS);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += sums[i] * (i % 3 + 1);
    return sum;
}
