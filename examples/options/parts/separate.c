/* The other file of separate.c. */
#include <stdlib.h>

struct matrix {
    unsigned columns;
    double *numbers;
};

struct matrix *matrix_make(unsigned rows, unsigned columns)
{
    struct matrix *matrix = malloc(sizeof *matrix);
    *matrix = (struct matrix){columns, malloc(sizeof(double) * rows * columns)};
    return matrix;
}

double matrix_get(const struct matrix *matrix, unsigned row, unsigned column)
{
    return matrix->numbers[row * matrix->columns + column];
}

void matrix_set(struct matrix *matrix, unsigned row, unsigned column, double value)
{
    matrix->numbers[row * matrix->columns + column] = value;
}
