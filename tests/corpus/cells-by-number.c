/* One loop over all cells of a table computes row and column from the number of the cell: a division for each.
   build: gcc -O2
   says: scalar-integer potential subscript
   remedy: scalar-integer subscript -DREMEDY
   measured: scalar-integer subscript neoverse-v1 5.96
   says: integer-division potential divide-less */
#include "corpus.h"

enum { COLUMNS = 50, ROWS = 20 };
static double cells[ROWS * COLUMNS], across[COLUMNS], down[ROWS];

KERNEL void kernel(double *restrict cell, const double *restrict column, const double *restrict row, int columns, int rows)
{
#ifdef REMEDY
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            cell[j * columns + i] = 0.5 * cell[j * columns + i] + column[i] * row[j];
#else
    for (int i = 0; i < rows * columns; i++)
        cell[i] = 0.5 * cell[i] + column[i % columns] * row[i / columns];
#endif
}

void set_up(void)
{
    for (int i = 0; i < COLUMNS; i++)
        across[i] = i % 7;
    for (int j = 0; j < ROWS; j++)
        down[j] = j % 5;
}

void run(void)
{
    kernel(cells, across, down, COLUMNS, ROWS);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sum += cells[i] * (i % 3 + 1);
    return sum;
}
