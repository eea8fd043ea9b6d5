/* slow: -O2 parts/separate.c   fast: -O2 -flto parts/separate.c
   A matrix behind functions of another file, which is how it was meant to be, and which compilers see through only when they link. */
#include <stdio.h>
#include <stdlib.h>

struct matrix;
struct matrix *matrix_make(unsigned rows, unsigned columns);
double matrix_get(const struct matrix *matrix, unsigned row, unsigned column);
void matrix_set(struct matrix *matrix, unsigned row, unsigned column, double value);

int main(int argc, char **argv)
{
    enum { SIZE = 200 };
    long rounds = argc > 1 ? atol(argv[1]) : 2000;
    struct matrix *matrix = matrix_make(SIZE, SIZE);
    for (unsigned i = 0; i < SIZE; i++)
        for (unsigned k = 0; k < SIZE; k++)
            matrix_set(matrix, i, k, (i * 7 + k * 3) % 11);
    double sum = 0;
    for (long round = 0; round < rounds; round++)
        for (unsigned i = 1; i < SIZE; i++)
            for (unsigned k = 1; k < SIZE; k++)
                sum += matrix_get(matrix, i, k) * matrix_get(matrix, i - 1, k - 1);
    printf("%g\n", sum);
}
