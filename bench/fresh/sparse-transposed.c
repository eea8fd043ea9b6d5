/* A transposed sparse matrix, times a vector: products are scattered.
   build: gcc -O3
   cure: reorder-data -DCURE=1 */
#include <string.h>
#include "fresh.h"
enum { ROWS = 400, ENTRIES = 5 };
static int column[ROWS * ENTRIES], start[ROWS + 1];
static double value[ROWS * ENTRIES], x[ROWS], y[ROWS];
KERNEL void kernel(double *R y, const double *R x, const int *R start, const int *R column,
                   const double *R value, int rows)
{
    for (int i = 0; i < rows; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            y[column[k]] += value[k] * x[i];
}
void set_up(void)
{
    for (int i = 0; i < ROWS * ENTRIES; i++) {
#if CURE == 1 /* columns in order, as far as rows go */
        column[i] = (int)(draw() % 2 + (unsigned)(i % ENTRIES + i / ENTRIES) % (ROWS - 1));
#else
        column[i] = (int)(draw() % ROWS);
#endif
        value[i] = uniform();
    }
    for (int i = 0; i < ROWS; i++)
        x[i] = uniform(), start[i + 1] = (i + 1) * ENTRIES;
}
void run(void)
{
    memset(y, 0, sizeof y);
    kernel(y, x, start, column, value, ROWS);
    total = 0;
    for (int i = 0; i < ROWS; i++)
        total += y[i];
}
RESULT_TOTAL
