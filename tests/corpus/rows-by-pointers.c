/* A matrix as an array of row pointers, walked down a column: each element needs the pointer of its row first.
   build: gcc -O3
   says: loop-order|not-vectorised potential exchange
   remedy: loop-order exchange -DREMEDY
   measured: loop-order exchange golden-cove 1.20
   measured: loop-order exchange neoverse-v1 1.41 */
#include "corpus.h"

enum { ROWS = 40, COLUMNS = 64 };
static double a[ROWS][COLUMNS], sums[COLUMNS], *rows[ROWS];

KERNEL void kernel(double *restrict sums, double **a, int rows, int columns)
{
#ifdef REMEDY
    for (int i = 0; i < columns; i++)
        sums[i] = 0;
    for (int j = 0; j < rows; j++) {
        const double *row = a[j];
        for (int i = 0; i < columns; i++)
            sums[i] += row[i] * row[i];
    }
#else
    for (int i = 0; i < columns; i++) {
        double sum = 0;
        for (int j = 0; j < rows; j++)
            sum += a[j][i] * a[j][i];
        sums[i] = sum;
    }
#endif
}

void set_up(void)
{
    for (int j = 0; j < ROWS; j++) {
        rows[j] = a[j];
        for (int i = 0; i < COLUMNS; i++)
            a[j][i] = (i * 7 + j) % 11;
    }
}

void run(void)
{
    kernel(sums, rows, ROWS, COLUMNS);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++)
        sum += sums[i] * (i % 3 + 1);
    return sum;
}
