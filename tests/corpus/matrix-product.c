/* A product of matrices with the inner product innermost: the second matrix is read down its columns. The length of rows is a
   parameter.
   build: gcc -O2
   says: loop-order potential exchange
   says: reduction hint
   remedy: loop-order exchange -DREMEDY -O3
   measured: loop-order exchange golden-cove 3.68
   measured: loop-order exchange neoverse-v1 4.01 */
#include "corpus.h"

enum { SIZE = 160 };
static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];

KERNEL void kernel(double *restrict to, const double *restrict left, const double *restrict right, int n)
{
#ifdef REMEDY
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            to[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                to[i * n + j] += left[i * n + k] * right[k * n + j];
    }
#else
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += left[i * n + k] * right[k * n + j];
            to[i * n + j] = sum;
        }
#endif
}

void set_up(void)
{
    for (int i = 0; i < SIZE * SIZE; i++) {
        a[i] = i % 7;
        b[i] = i % 11;
    }
}

void run(void)
{
    kernel(c, a, b, SIZE);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < SIZE * SIZE; i++)
        sum += c[i] * (i % 3 + 1);
    return sum;
}
