/* The covariance of two columns of a matrix, row by row.
   build: gcc -O3
   cure: partial-sums -DCURE=1 */
#include "fresh.h"
enum { ROWS = 60, COLUMNS = 40 };
static double data[ROWS * COLUMNS], mean[COLUMNS], covariance[COLUMNS * COLUMNS];
KERNEL void kernel(double *R c, const double *R x, const double *R mean, int rows, int columns)
{
    for (int i = 0; i < columns; i++)
        for (int j = i; j < columns; j++) {
#if CURE == 1
            double s[4] = {0};
            for (int k = 0; k < rows; k += 4)
                for (int l = 0; l < 4; l++)
                    s[l] += (x[(k + l) * columns + i] - mean[i]) * (x[(k + l) * columns + j] - mean[j]);
            double sum = s[0] + s[1] + (s[2] + s[3]);
#else
            double sum = 0;
            for (int k = 0; k < rows; k++)
                sum += (x[k * columns + i] - mean[i]) * (x[k * columns + j] - mean[j]);
#endif
            c[i * columns + j] = sum / (rows - 1);
        }
}
void set_up(void)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = uniform();
    for (int i = 0; i < COLUMNS; i++)
        mean[i] = 0.5;
}
void run(void)
{
    kernel(covariance, data, mean, ROWS, COLUMNS);
}
RESULT(covariance, COLUMNS *COLUMNS)
