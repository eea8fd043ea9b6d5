/* Adds a column of a matrix whose rows are apart; compiled for a processor with gathers. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 96, COLUMNS = 20 };

__attribute__((noipa)) void kernel(double *restrict sums, double *const *rows, int column, int count)
{
    for (int i = 0; i < count; i++)
        sums[i] += 2 * rows[i][column];
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1000;
    static double numbers[ROWS][COLUMNS], sums[ROWS], *rows[ROWS];
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        rows[i] = numbers[i];
        for (int k = 0; k < COLUMNS; k++)
            numbers[i][k] = (i + k) % 7;
    }
    for (long k = 0; k < repetitions; k++)
        kernel(sums, rows, (int)(k % COLUMNS), ROWS);
    for (int i = 0; i < ROWS; i++)
        sum += sums[i];
    printf("%.0f\n", sum);
}
