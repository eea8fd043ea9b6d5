/* The textbook product of matrices: the innermost loop goes down a column of b.
   build: gcc -O2
   says: not-vectorised|loop-order potential exchange
   remedy: loop-order exchange -DREMEDY -O3
   measured: loop-order exchange golden-cove 2.37
   measured: loop-order exchange neoverse-v1 3.01 */
#include "corpus.h"

enum { M = 32 };
static double a[M][M], b[M][M], c[M][M];

KERNEL void kernel(double (*restrict c)[M], double (*restrict a)[M], double (*restrict b)[M], int m)
{
    for (int i = 0; i < m; i++) {
#ifdef REMEDY
        for (int j = 0; j < m; j++)
            c[i][j] = 0;
        for (int k = 0; k < m; k++)
            for (int j = 0; j < m; j++)
                c[i][j] += a[i][k] * b[k][j];
#else
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
#endif
    }
}

void set_up(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            a[i][j] = (i + j) % 7, b[i][j] = (i * 3 + j) % 5;
}

void run(void)
{
    kernel(c, a, b, M);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            sum += c[i][j] * ((i + j) % 3 + 1);
    return sum;
}
