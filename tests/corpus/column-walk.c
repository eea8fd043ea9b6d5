/* Sums of columns, with the inner loop down the columns of a matrix stored by rows.
   build: gcc -O2
   says: not-vectorised|loop-order potential exchange
   remedy: loop-order exchange -DREMEDY -O3
   measured: loop-order exchange golden-cove 3.04
   measured: loop-order exchange neoverse-v1 2.95
   says x86-64: not-vectorised hint exchange
   remedy: not-vectorised exchange -DREMEDY -O3
   measured: not-vectorised exchange golden-cove 3.10
   measured: not-vectorised exchange neoverse-v1 2.94 */
#include "corpus.h"

enum { ROWS = 40, COLUMNS = 64 };
static double a[ROWS][COLUMNS], sums[COLUMNS];

KERNEL void kernel(double *restrict sums, double (*restrict a)[COLUMNS], int rows, int columns)
{
#ifdef REMEDY
    for (int i = 0; i < columns; i++)
        sums[i] = 0;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            sums[i] += a[j][i];
#else
    for (int i = 0; i < columns; i++) {
        double sum = 0;
        for (int j = 0; j < rows; j++)
            sum += a[j][i];
        sums[i] = sum;
    }
#endif
}

void set_up(void)
{
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            a[j][i] = (i * 7 + j) % 11;
}

void run(void)
{
    kernel(sums, a, ROWS, COLUMNS);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++)
        sum += sums[i] * (i % 3 + 1);
    return sum;
}
