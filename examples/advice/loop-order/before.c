/* A matrix is changed column by column: each element needs another cache line. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 400, COLUMNS = 500 };
static double matrix[ROWS][COLUMNS];

__attribute__((noinline)) void kernel(double (*a)[COLUMNS], double factor)
{
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++)
            a[i][j] = a[i][j] * factor + 1;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double total = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = (i + 2 * j) % 17;
    for (long r = 0; r < repetitions; r++)
        kernel(matrix, 0.5);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            total += matrix[i][j] * (j % 3 + 1);
    printf("%g\n", total);
    return 0;
}
