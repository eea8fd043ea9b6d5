/* The same with a loop for the rows and one for the columns: only the cells are left to compute. */
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 50, ROWS = 20 };
static double cells[ROWS * COLUMNS], across[COLUMNS], down[ROWS];

__attribute__((noinline)) static void kernel(double *restrict cell, const double *restrict column,
                                             const double *restrict row, int columns, int rows)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            cell[j * columns + i] = 0.5 * cell[j * columns + i] + column[i] * row[j];
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
