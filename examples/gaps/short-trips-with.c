/* Adds up the rows of a sparse matrix.  They have 1 to 7 numbers, so that each entry of the inner loop ends with a branch
   that nobody can predict; in short-trips-without.c they have 4096. */
#include <stdio.h>
#include <stdlib.h>
#ifndef SHORTEST
#define SHORTEST 1
#define LONGEST 7
#define ROUNDS 3000
#endif
enum { NUMBERS = 4096 };

__attribute__((noipa)) static void add_rows(const double *numbers, const int *starts, int rows, double *sums)
{
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int i = starts[row]; i < starts[row + 1]; i++)
            sum += numbers[i];
        sums[row] = sum;
    }
}

int main(void)
{
    static double numbers[NUMBERS], sums[NUMBERS];
    static int starts[NUMBERS + 1];
    unsigned long state = 88172645463325252UL;
    int rows = 0;
    while (starts[rows] < NUMBERS) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        int length = SHORTEST + (int)(state >> 40) % (LONGEST - SHORTEST + 1);
        int end = starts[rows] + abs(length);
        starts[++rows] = end < NUMBERS ? end : NUMBERS;
    }
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    for (int round = 0; round < ROUNDS * 10; round++)
        add_rows(numbers, starts, rows, sums);
    printf("%d rows, %g\n", rows, sums[0]);
    return 0;
}
