/* Heat creeping into a cold plate: the smallest program that denormal numbers slow down.

       jacobi [SIZE [SWEEPS [START [PHASES]]]]         defaults: 512 768 0 8

   A plate of SIZE × SIZE floats has edges of 1.0 and an interior of START.  In each sweep every inner point
   becomes the mean of its four neighbours, from one array into the other.  What comes from the edges shrinks
   to a part with each point, so a front of denormal numbers runs ahead of the heat, until all of the plate is
   warm.

   The fix is the argument START: with 1e-20, which nobody can tell from zero here, no value ever falls below
   it.  The sum that is printed stays the same to all its digits. */
#include <assay/denormals.h>
#include <stdio.h>
#include <stdlib.h>

float *a, *b;

static void fill(float *plate, int size, float start)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            plate[i * size + j] = i == 0 || j == 0 || i == size - 1 || j == size - 1 ? 1.0f : start;
}

__attribute__((noinline)) void sweep(const float *previous, float *current, int size)
{
    for (int i = 1; i < size - 1; i++)
        for (int j = 1; j < size - 1; j++)
            current[i * size + j] = 0.25f * (previous[(i - 1) * size + j] + previous[(i + 1) * size + j] +
                                             previous[i * size + j - 1] + previous[i * size + j + 1]);
}

int main(int count, char **words)
{
    int size = count > 1 ? atoi(words[1]) : 512;
    int sweeps = count > 2 ? atoi(words[2]) : 768;
    float start = count > 3 ? strtof(words[3], NULL) : 0.0f;
    int phases = count > 4 ? atoi(words[4]) : 8;
    if (size < 3 || size > 30000 || sweeps < 0 || phases < 1) {
        fprintf(stderr, "usage: jacobi [SIZE [SWEEPS [START [PHASES]]]]\n");
        return 2;
    }
    a = malloc(sizeof *a * size * size);
    b = malloc(sizeof *b * size * size);
    if (!a || !b) {
        fprintf(stderr, "jacobi: no memory for two plates of %d x %d\n", size, size);
        return 1;
    }
    fill(a, size, start);
    fill(b, size, start);
    int length = (sweeps + phases - 1) / phases;
    for (int i = 0; i < sweeps; i++) {
        if (phases > 1 && i % length == 0)
            ASSAY_DENORMAL_PHASE("sweeps");
        sweep(i % 2 ? b : a, i % 2 ? a : b, size);
    }
    float *last = sweeps % 2 ? b : a;
    double sum = 0; /* of the warm part only: reading denormals for it would add to what is counted */
    for (int i = 0; i < size / 8 * size; i++)
        sum += last[i];
    printf("%.6f\n", sum);
    free(a);
    free(b);
    return 0;
}
