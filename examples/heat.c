/* Heat in a plate: a small program with the kinds of loops that Assay shows.  Jacobi steps over a grid (a nest
   whose inner loop vectorises), a sum (a reduction), a search with an early exit, a division in every
   iteration, and a switch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 200, STEPS = 100 };

static double plate[SIZE][SIZE], next[SIZE][SIZE];

/* One Jacobi step: every inner point becomes the mean of its neighbours. */
void step(double from[SIZE][SIZE], double to[SIZE][SIZE])
{
    for (int i = 1; i < SIZE - 1; i++)
        for (int j = 1; j < SIZE - 1; j++)
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static inline double square(double x)
{
    return x * x;
}

/* Distance between two states. */
double distance(double a[SIZE][SIZE], double b[SIZE][SIZE])
{
    double sum = 0;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            sum += square(a[i][j] - b[i][j]);
    return sqrt(sum);
}

/* The first place where the plate is warmer than limit, or -1. */
int find_warm(const double *row, int count, double limit)
{
    for (int j = 0; j < count; j++)
        if (row[j] > limit)
            return j;
    return -1;
}

/* Temperatures relative to a reference, with a division in every iteration. */
void normalise(double *restrict row, const double *restrict reference, int count)
{
    for (int j = 0; j < count; j++)
        row[j] /= reference[j];
}

const char *verdict(int digit)
{
    switch (digit) {
    case 0:
        return "cold";
    case 1:
    case 2:
        return "cool";
    case 3:
    case 4:
        return "mild";
    case 5:
        return "warm";
    case 6:
        return "hot";
    default:
        return "boiling";
    }
}

int main(int count, char **words)
{
    int steps = count > 1 ? atoi(words[1]) : STEPS;
    double reference[SIZE];
    for (int j = 0; j < SIZE; j++) {
        plate[0][j] = next[0][j] = 1;
        reference[j] = 1 + j;
    }
    for (int i = 0; i < steps; i += 2) {
        step(plate, next);
        step(next, plate);
    }
    normalise(plate[1], reference, SIZE);
    printf("distance %g, warm from %d, %s\n", distance(plate, next), find_warm(plate[1], SIZE, 0.01),
           verdict((int)(plate[2][2] * 10)));
    return 0;
}
