/* A matrix is changed column by column. It does not fit into the L1 cache: that is what the remedy is about.
   build: gcc -O2
   says: loop-order potential exchange
   remedy: loop-order exchange -DREMEDY
   measured: loop-order exchange golden-cove 1.75
   measured: loop-order exchange neoverse-v1 1.99 */
#include "corpus.h"

enum { ROWS = 400, COLUMNS = 500 };
static double matrix[ROWS][COLUMNS];

KERNEL void kernel(double (*matrix)[COLUMNS], double factor)
{
#ifdef REMEDY
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
#else
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++)
#endif
            matrix[i][j] = matrix[i][j] * factor + 1;
}

void set_up(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = (i + 2 * j) % 17;
}

void run(void)
{
    kernel(matrix, 0.5);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += matrix[i][j] * (j % 3 + 1);
    return sum;
}
