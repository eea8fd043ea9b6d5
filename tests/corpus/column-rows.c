/* The sums of the columns of a matrix whose rows are reached through pointers.
   build: gcc -O2
   says: loop-order potential exchange
   remedy: loop-order exchange -DREMEDY
   measured: loop-order exchange golden-cove 1.64
   measured: loop-order exchange neoverse-v1 2.00 */
#include "corpus.h"

enum { ROWS = 400, COLUMNS = 500 };
static double matrix[ROWS][COLUMNS], sums[COLUMNS];
static double *rows[ROWS];

KERNEL void kernel(double *restrict to, double **restrict from, int m, int n)
{
#ifdef REMEDY
    for (int j = 0; j < n; j++)
        to[j] = 0;
    for (int i = 0; i < m; i++) {
        const double *restrict row = from[i];
        for (int j = 0; j < n; j++)
            to[j] += row[j];
    }
#else
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            sum += from[i][j];
        to[j] = sum;
    }
#endif
}

void set_up(void)
{
    for (int i = 0; i < ROWS; i++) {
        rows[i] = matrix[i];
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = (i + 2 * j) % 17;
    }
}

void run(void)
{
    kernel(sums, rows, ROWS, COLUMNS);
}

double result(void)
{
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++)
        sum += sums[j] * (j % 3 + 1);
    return sum;
}
