/* One loop over all cells of a table, which computes column and row from the number of the cell, as a GPU would do
   it: every cell costs an integer division, and the arithmetic waits for it. */
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 50, ROWS = 20 };
static double cells[ROWS * COLUMNS], across[COLUMNS], down[ROWS];

__attribute__((noinline)) static void kernel(double *restrict cell, const double *restrict column,
                                             const double *restrict row, int columns, int rows)
{
    for (int i = 0; i < rows * columns; i++)
        cell[i] = 0.5 * cell[i] + column[i % columns] * row[i / columns];
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int columns = count > 2 ? atoi(words[2]) : COLUMNS, rows = count > 3 ? atoi(words[3]) : ROWS;
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++)
        across[i] = i % 7;
    for (int i = 0; i < ROWS; i++)
        down[i] = i % 3;
    for (long k = 0; k < repetitions; k++) {
        across[k % COLUMNS] += 0.01;
        kernel(cells, across, down, columns, rows);
    }
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sum += cells[i] * i;
    printf("%.10g\n", sum);
}
